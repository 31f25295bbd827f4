import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway, testSecrets } from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'

/** Each command is a process of its own; on a busy machine a start takes seconds. */
const patient = { timeout: 180_000 }
const root = fileURLToPath(new URL('../..', import.meta.url))
let gateway: TestGateway
let tenantId: string

beforeAll(async () => {
  gateway = await startTestGateway()
  tenantId = (await gateway.createTenant('Firm A')).id
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
      ['--import', 'tsx', 'src/cli.ts', ...args],
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
    expect(silent).toMatchObject({ code: 1, error: expect.stringContaining('reason') })
    const requeued = await estafet('dlq', 'requeue', id, '--reason', 'mended', '--json')
    expect(JSON.parse(requeued.out)).toMatchObject({ id, state: 'requeued', decided_by: 'cli' })
    const twice = await estafet('dlq', 'discard', id, '--reason', 'again')
    expect(twice).toMatchObject({ code: 1, error: 'This dead letter is requeued already.\n' })

    const dry = await estafet('dlq', 'discard', '--all', '--kind', 'unroutable', '--dry-run')
    expect(dry.out).toBe(
      '1 open dead letter(s) match: 1 unroutable.\n1 would be discarded; nothing was changed.\n',
    )
    const all = await estafet('dlq', 'discard', '--all', '--reason', 'old', '--json')
    expect(JSON.parse(all.out)).toMatchObject({ matched: 1, decided: 1, remaining: 0 })
    const discarded = await estafet('dlq', 'list', '--state', 'discarded', '--json')
    expect(JSON.parse(discarded.out).data).toMatchObject([{ id: other, decision_reason: 'old' }])
    const none = await estafet('dlq', 'requeue')
    expect(none).toMatchObject({ code: 1, error: expect.stringContaining('--all') })
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
