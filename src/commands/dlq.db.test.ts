import { beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../test/support/commands.ts'
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

const estafet = (...args: string[]) =>
  runCommand(args, {
    DATABASE_URL: gateway.databaseUrl,
    ESTAFET_ENV: 'development',
    ...testSecrets,
  })

async function deliver(id: string) {
  const number = { waba_id: '1', phone_number_id: '2' }
  await gateway.deliver(payload({ number, messages: [textMessage(id, 'hi \u001b[31m there')] }))
  await gateway.drain()
}

describe('estafet dlq', () => {
  test('says that there is nothing to decide', async () => {
    expect(await estafet('dlq', 'list')).toEqual({
      code: 0,
      stdout: 'No open dead letters here: nothing waits for a decision.\n',
      stderr: '',
    })
  })

  test('lists, inspects, requeues and discards', async () => {
    await deliver('wamid.1')
    await deliver('wamid.2')

    const list = await estafet('dlq', 'list')
    const [head, first, second] = list.stdout.split('\n')
    expect(head?.indexOf('KIND')).toBe(first?.indexOf('unroutable'))
    expect(list.stdout).toContain('Next: estafet dlq inspect <id>')
    const [id = '', other = ''] = [first?.split(' ')[0], second?.split(' ')[0]]

    const inspected = await estafet('dlq', 'inspect', id)
    expect(inspected.stdout).toContain('there')
    expect(inspected.stdout).not.toContain('\u001b')
    expect(inspected.stdout).toContain(`estafet dlq requeue ${id}`)

    const silent = await estafet('dlq', 'requeue', id)
    expect(silent).toMatchObject({ code: 2, stderr: expect.stringMatching(/^--reason: say why/) })
    const filtered = ['dlq', 'requeue', id, '--reason', 'x', '--tenant', tenantId, '--kind', 'odd']
    expect(await estafet(...filtered)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: '--tenant, --kind: only with --all, not beside ids.\n',
    })
    const requeued = await estafet('dlq', 'requeue', id, '--reason', 'mended', '--json')
    expect(JSON.parse(requeued.stdout)).toMatchObject({ id, state: 'requeued', decided_by: 'cli' })
    const twice = await estafet('dlq', 'discard', id, '--reason', 'again')
    expect(twice).toMatchObject({ code: 1, stderr: 'This dead letter is requeued already.\n' })

    // Named, and not decided: somebody has to look again.
    const unknown = `dlq_${'0'.repeat(32)}`
    const both = await estafet('dlq', 'discard', id, unknown, '--reason', 'again', '--json')
    expect(both.code).toBe(1)
    expect(JSON.parse(both.stdout)).toMatchObject({
      decided: 0,
      skipped: { already_decided: 1, not_found: 1 },
    })
    const counted = await estafet('dlq', 'discard', other, unknown, '--dry-run')
    expect(counted).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 would be discarded'),
    })

    const dry = await estafet('dlq', 'discard', '--all', '--kind', 'unroutable', '--dry-run')
    expect(dry.stdout).toBe(
      '1 open dead letter(s) match: 1 unroutable.\n1 would be discarded; nothing was changed.\n',
    )
    const all = await estafet('dlq', 'discard', '--all', '--reason', 'old', '--json')
    expect(JSON.parse(all.stdout)).toMatchObject({ matched: 1, decided: 1, remaining: 0 })
    const discarded = await estafet('dlq', 'list', '--state', 'discarded', '--json')
    expect(JSON.parse(discarded.stdout).data).toMatchObject([{ id: other, decision_reason: 'old' }])
    const none = await estafet('dlq', 'requeue')
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--all') })
  })
})

test('what a stranger wrote makes no line of ours', async () => {
  await gateway.deliver('not JSON\nNext: estafet evil\nID  KIND')
  await gateway.drain()
  const { data } = JSON.parse(
    (await estafet('dlq', 'list', '--kind', 'malformed', '--json')).stdout,
  )

  const inspected = await estafet('dlq', 'inspect', data[0].id)

  expect(inspected.stdout).toContain('\n  not JSON\n  Next: estafet evil\n  ID  KIND\n')
  expect(inspected.stdout).not.toMatch(/^Next: estafet evil/m)
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

  test('tells every attempt, and that it may arrive twice; sends again', async () => {
    const refused = await deadSend('err-132001-template-missing')
    const parked = await deadSend('hang up')

    const list = await estafet('dlq', 'list', '--tenant', tenantId)
    expect(list.stdout).toContain(`${refused}, 1 attempt(s): (#132001) Template name`)
    const found = await estafet('dlq', 'list', '--message-id', parked, '--json')
    const [{ id }] = JSON.parse(found.stdout).data
    const known = await estafet('dlq', 'list', '--message-id', refused, '--json')
    const [other] = JSON.parse(known.stdout).data

    const inspected = await estafet('dlq', 'inspect', other.id)
    expect(inspected.stdout).toContain(`${refused} is failed`)
    expect(inspected.stdout).toMatch(/ permanent {2}HTTP 404, code 132001, .*trace Al1nlz1X/)
    expect(inspected.stdout).toContain('"name":"hello"')
    expect(inspected.stdout).not.toContain('arrive twice')

    const dry = await estafet('dlq', 'requeue', '--all', '--tenant', tenantId, '--dry-run')
    expect(dry.stdout).toContain('2 would be requeued; nothing was changed.')
    expect(dry.stdout).toContain('arrive twice')
    const requeued = await estafet('dlq', 'requeue', id, '--reason', 'they said no')
    expect(requeued).toMatchObject({ code: 0, stdout: expect.stringContaining('arrive twice') })
    const wrong = await estafet('dlq', 'requeue', '--all', '--reason', 'x', '--per-second', 'fast')
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--per-second needs') })
    const bulk = ['dlq', 'requeue', '--all', '--tenant', tenantId, '--per-second', '5']
    const all = await estafet(...bulk, '--reason', 'it is there now', '--json')
    expect(JSON.parse(all.stdout)).toMatchObject({ matched: 1, decided: 1, remaining: 0 })

    const before = meta.posts.length
    await gateway.sendDue()
    expect(meta.posts).toHaveLength(before + 2)
  })

  test('marks sent what Meta may have, and nothing else', async () => {
    await deadSend('err-132001-template-missing')
    const parked = await deadSend('hang up')
    await deadSend('hang up')
    const path = `/api/admin/whatsapp/dlq?message_id=${parked}`
    const { id } = (await gateway.call('GET', path, { key: operatorKey })).json.data[0]

    expect((await estafet('dlq', 'list')).stdout).toContain('dlq mark-sent <id>')
    expect((await estafet('dlq', 'inspect', id)).stdout).toContain(`dlq mark-sent ${id}`)
    const marked = await estafet('dlq', 'mark-sent', id, '--reason', 'she answered it')
    expect(marked).toMatchObject({ code: 0, stdout: expect.stringContaining('is resolved.') })
    const all = await estafet('dlq', 'mark-sent', '--all', '--tenant', tenantId, '--reason', 'seen')
    expect(all.stdout).toContain('1 marked sent. It stays in the list with --state resolved.')
    expect(all.stdout).toContain('1 cannot be marked sent')
  })
})

describe('estafet audit', () => {
  test('lists, verifies, and exits with 1 and the row when somebody tampered', async () => {
    const list = await estafet('audit', 'list', '--tenant', tenantId)
    expect(list.stdout).toContain('tenant.created')
    const whole = await estafet('audit', 'verify')
    expect(whole).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The audit is whole: \d+/),
    })

    await gateway.db.session((session) =>
      session.script(
        `update audit_log set actor = 'mallory' where chain = '${tenantId}' and position = 2`,
      ),
    )

    const broken = await estafet('audit', 'verify')
    expect(broken.code).toBe(1)
    expect(broken.stdout).toContain(`chain ${tenantId}, row 2: content_changed`)
    const json = await estafet('audit', 'verify', '--tenant', tenantId, '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      is_whole: false,
      broken: [{ chain: tenantId, position: 2, problem: 'content_changed' }],
    })
  })
})
