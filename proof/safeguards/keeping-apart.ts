// What keeps tenants apart and acts on record.
import { edit, type Safeguard } from './safeguard.ts'

export const keepingApart: Safeguard[] = [
  {
    name: 'row level security',
    without: 'a query that forgets its tenant would show everybody’s rows',
    edits: [
      edit(
        'migrations/0001_init.sql',
        "execute format('create policy own_tenant on %I to estafet_tenant using (tenant_id = current_tenant()) '",
        "execute format('create policy own_tenant on %I to estafet_tenant using (true) '",
      ),
    ],
    noticedBy: {
      'src/db/isolation.db.test.ts': 'each sees its own rows only, in turn on the same connection',
    },
  },
  {
    name: 'operators only',
    without: 'a tenant’s key could do what only operators may',
    edits: [
      edit(
        'src/http.ts',
        "if (access === 'operator') throw",
        "if (access === 'operator' && actor === '') throw",
      ),
    ],
    noticedBy: {
      'test/e2e/strangers-are-turned-away.test.ts':
        'is refused where it must be, with a good request, and nothing comes of it',
    },
  },
  {
    name: 'admins only',
    without: 'an agent could do what only admins may',
    edits: [
      edit(
        'src/http.ts',
        "access === 'tenant' && person?.role === 'agent'",
        "access === 'tenant' && person?.role === undefined && actor === ''",
      ),
    ],
    noticedBy: {
      'test/e2e/people-sign-in.test.ts':
        'an agent converses; an admin manages; an operator names the tenant',
      'test/e2e/strangers-are-turned-away.test.ts':
        'is refused where it must be, with a good request, and nothing comes of it',
    },
  },
  {
    name: 'forged calls of a browser',
    without: 'another site could act with the cookie of somebody who is signed in',
    edits: [
      edit('src/http.ts', 'if (person) mustNotBeForged(request, person, options.publicUrl)', ''),
    ],
    noticedBy: {
      'test/e2e/people-sign-in.test.ts':
        'is not enough to change something: the page’s own token and origin are needed',
    },
  },
  {
    name: 'audit chain',
    without: 'an audit row could be changed without a trace',
    edits: [
      edit(
        'src/audit/record.ts',
        '.update(previous).update(told).digest()',
        '.update(previous).digest()',
      ),
    ],
    noticedBy: {
      'src/audit/verify.db.test.ts': 'names the first broken row',
    },
  },
  {
    name: 'a secret belongs to its row',
    without: 'a token could be moved to another tenant’s row and used there',
    edits: [
      edit(
        'src/accounts/vault.ts',
        'cipher.setAAD(Buffer.from(owner))\n      const body',
        'cipher.setAAD(Buffer.from(owner.slice(0, 0)))\n      const body',
      ),
      edit(
        'src/accounts/vault.ts',
        'decipher.setAAD(Buffer.from(owner))',
        'decipher.setAAD(Buffer.from(owner.slice(0, 0)))',
      ),
    ],
    noticedBy: {
      'src/accounts/vault.test.ts': 'does not open what belongs to another tenant or row',
    },
  },
  {
    name: 'public addresses only',
    without: 'a tenant’s endpoint could point into our own network',
    edits: [
      edit(
        'src/net/guarded-agent.ts',
        '!addresses.every(({ address }) => isPublicAddress(address))',
        '!addresses.every(({ address }) => address.length > 0)',
      ),
    ],
    noticedBy: {
      'src/net/guarded-agent.test.ts':
        'is not made to a name that leads there, not even when only one of its addresses does',
    },
  },
]
