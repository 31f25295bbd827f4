import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  testSecrets,
} from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { keepInboxSteady, makeDue } from '../../test/support/queue.ts'
import { type ScriptedMeta, startScriptedMeta } from '../../test/support/scripted-meta.ts'

/** Each command is a process of its own; on a busy machine a start takes seconds. */
const patient = { timeout: 180_000 }
const root = fileURLToPath(new URL('../..', import.meta.url))
let meta: ScriptedMeta
let gateway: TestGateway
let tenant: TestTenant
let tenantId: string

beforeAll(async () => {
  meta = await startScriptedMeta()
  gateway = await startTestGateway({ environment: { META_GRAPH_URL: meta.url } })
  tenant = await gateway.createTenant('Firm A', tenantANumber)
  tenantId = tenant.id
})

interface Ran {
  code: number
  out: string
  error: string
}

function estafet(...args: string[]): Promise<Ran> {
  const env = {
    // biome-ignore lint/style/noProcessEnv: the program under test needs a PATH.
    PATH: process.env.PATH,
    DATABASE_URL: gateway.databaseUrl,
    ESTAFET_ENV: 'development',
    ...testSecrets,
  }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [inject('program'), ...args],
      { cwd: root, env },
      (failure, out, error) => resolve({ code: Number(failure?.code ?? 0), out, error }),
    )
  })
}

async function deliver(id: string) {
  const number = { waba_id: '1', phone_number_id: '2' }
  await gateway.deliver(payload({ number, messages: [textMessage(id, 'hi \u001b[31m there')] }))
  await gateway.drain()
}

describe('estafet dlq', () => {
  test('says that there is nothing to decide', async () => {
    expect(await estafet('dlq', 'list')).toEqual({
      code: 0,
      out: 'No open dead letters here: nothing waits for a decision.\n',
      error: '',
    })
  })

  test('lists, inspects, requeues and discards', patient, async () => {
    await deliver('wamid.1')
    await deliver('wamid.2')

    const list = await estafet('dlq', 'list')
    const [head, first, second] = list.out.split('\n')
    expect(head?.indexOf('KIND')).toBe(first?.indexOf('unroutable'))
    expect(list.out).toContain('Next: estafet dlq inspect <id>')
    const [id = '', other = ''] = [first?.split(' ')[0], second?.split(' ')[0]]

    const inspected = await estafet('dlq', 'inspect', id)
    expect(inspected.out).toContain('there')
    expect(inspected.out).not.toContain('\u001b')
    expect(inspected.out).toContain(`estafet dlq requeue ${id}`)

    const silent = await estafet('dlq', 'requeue', id)
    expect(silent).toMatchObject({ code: 2, error: expect.stringMatching(/^--reason: say why/) })
    const filtered = ['dlq', 'requeue', id, '--reason', 'x', '--tenant', tenantId, '--kind', 'odd']
    expect(await estafet(...filtered)).toMatchObject({
      code: 2,
      out: '',
      error: '--tenant, --kind: only with --all, not beside ids.\n',
    })
    const requeued = await estafet('dlq', 'requeue', id, '--reason', 'mended', '--json')
    expect(JSON.parse(requeued.out)).toMatchObject({ id, state: 'requeued', decided_by: 'cli' })
    const twice = await estafet('dlq', 'discard', id, '--reason', 'again')
    expect(twice).toMatchObject({ code: 1, error: 'This dead letter is requeued already.\n' })

    // Named, and not decided: somebody has to look again.
    const unknown = `dlq_${'0'.repeat(32)}`
    const both = await estafet('dlq', 'discard', id, unknown, '--reason', 'again', '--json')
    expect(both.code).toBe(1)
    expect(JSON.parse(both.out)).toMatchObject({
      decided: 0,
      skipped: { already_decided: 1, not_found: 1 },
    })
    const counted = await estafet('dlq', 'discard', other, unknown, '--dry-run')
    expect(counted).toMatchObject({ code: 0, out: expect.stringContaining('1 would be discarded') })

    const dry = await estafet('dlq', 'discard', '--all', '--kind', 'unroutable', '--dry-run')
    expect(dry.out).toBe(
      '1 open dead letter(s) match: 1 unroutable.\n1 would be discarded; nothing was changed.\n',
    )
    const all = await estafet('dlq', 'discard', '--all', '--reason', 'old', '--json')
    expect(JSON.parse(all.out)).toMatchObject({ matched: 1, decided: 1, remaining: 0 })
    const discarded = await estafet('dlq', 'list', '--state', 'discarded', '--json')
    expect(JSON.parse(discarded.out).data).toMatchObject([{ id: other, decision_reason: 'old' }])
    const none = await estafet('dlq', 'requeue')
    expect(none).toMatchObject({ code: 2, error: expect.stringContaining('--all') })
  })
})

test('what a stranger wrote makes no line of ours', patient, async () => {
  await gateway.deliver('not JSON\nNext: estafet evil\nID  KIND')
  await gateway.drain()
  const { data } = JSON.parse((await estafet('dlq', 'list', '--kind', 'malformed', '--json')).out)

  const inspected = await estafet('dlq', 'inspect', data[0].id)

  expect(inspected.out).toContain('\n  not JSON\n  Next: estafet evil\n  ID  KIND\n')
  expect(inspected.out).not.toMatch(/^Next: estafet evil/m)
})

describe('estafet dlq, for what was to be sent', () => {
  /** Templates need no window. */
  async function deadSend(script: string): Promise<string> {
    meta.answer(script)
    const template = { name: 'hello', language: { code: 'en' } }
    const answer = await gateway.call('POST', '/api/whatsapp/meta/send', {
      key: tenant.key,
      body: { to: '+16505550143', type: 'template', template, delivery: 'at_most_once' },
    })
    await gateway.sendDue()
    meta.answer('accept')
    // The time for evidence passes; what was requeued before is processed by then.
    await gateway.drain()
    await keepInboxSteady(gateway.db)
    await makeDue(gateway.db)
    await gateway.sendDue()
    return answer.json.message_id
  }

  test('tells every attempt, and that it may arrive twice; sends again', patient, async () => {
    const refused = await deadSend('err-132001-template-missing')
    const parked = await deadSend('hang up')

    const list = await estafet('dlq', 'list', '--tenant', tenantId)
    expect(list.out).toContain(`${refused}, 1 attempt(s): (#132001) Template name`)
    const found = await estafet('dlq', 'list', '--message-id', parked, '--json')
    const [{ id }] = JSON.parse(found.out).data
    const known = await estafet('dlq', 'list', '--message-id', refused, '--json')
    const [other] = JSON.parse(known.out).data

    const inspected = await estafet('dlq', 'inspect', other.id)
    expect(inspected.out).toContain(`${refused} is failed`)
    expect(inspected.out).toMatch(/ permanent {2}HTTP 404, code 132001, .*trace Al1nlz1X/)
    expect(inspected.out).toContain('"name":"hello"')
    expect(inspected.out).not.toContain('arrive twice')

    const dry = await estafet('dlq', 'requeue', '--all', '--tenant', tenantId, '--dry-run')
    expect(dry.out).toContain('2 would be requeued; nothing was changed.')
    expect(dry.out).toContain('arrive twice')
    const requeued = await estafet('dlq', 'requeue', id, '--reason', 'they said no')
    expect(requeued).toMatchObject({ code: 0, out: expect.stringContaining('arrive twice') })
    const wrong = await estafet('dlq', 'requeue', '--all', '--reason', 'x', '--per-second', 'fast')
    expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining('--per-second needs') })
    const bulk = ['dlq', 'requeue', '--all', '--tenant', tenantId, '--per-second', '5']
    const all = await estafet(...bulk, '--reason', 'it is there now', '--json')
    expect(JSON.parse(all.out)).toMatchObject({ matched: 1, decided: 1, remaining: 0 })

    const before = meta.posts.length
    await gateway.sendDue()
    expect(meta.posts).toHaveLength(before + 2)
  })

  test('marks sent what Meta may have, and nothing else', patient, async () => {
    await deadSend('err-132001-template-missing')
    const parked = await deadSend('hang up')
    await deadSend('hang up')
    const path = `/api/admin/whatsapp/dlq?message_id=${parked}`
    const { id } = (await gateway.call('GET', path, { key: operatorKey })).json.data[0]

    expect((await estafet('dlq', 'list')).out).toContain('dlq mark-sent <id>')
    expect((await estafet('dlq', 'inspect', id)).out).toContain(`dlq mark-sent ${id}`)
    const marked = await estafet('dlq', 'mark-sent', id, '--reason', 'she answered it')
    expect(marked).toMatchObject({ code: 0, out: expect.stringContaining('is resolved.') })
    const all = await estafet('dlq', 'mark-sent', '--all', '--tenant', tenantId, '--reason', 'seen')
    expect(all.out).toContain('1 marked sent. It stays in the list with --state resolved.')
    expect(all.out).toContain('1 cannot be marked sent')
  })
})

describe('estafet audit', () => {
  test(
    'lists, verifies, and exits with 1 and the row when somebody tampered',
    patient,
    async () => {
      const list = await estafet('audit', 'list', '--tenant', tenantId)
      expect(list.out).toContain('tenant.created')
      const whole = await estafet('audit', 'verify')
      expect(whole).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^The audit is whole: \d+/),
      })

      await gateway.db.session((session) =>
        session.script(
          `update audit_log set actor = 'mallory' where chain = '${tenantId}' and position = 2`,
        ),
      )

      const broken = await estafet('audit', 'verify')
      expect(broken.code).toBe(1)
      expect(broken.out).toContain(`chain ${tenantId}, row 2: content_changed`)
      const json = await estafet('audit', 'verify', '--tenant', tenantId, '--json')
      expect(json.code).toBe(1)
      expect(JSON.parse(json.out)).toMatchObject({
        is_whole: false,
        broken: [{ chain: tenantId, position: 2, problem: 'content_changed' }],
      })
    },
  )
})
