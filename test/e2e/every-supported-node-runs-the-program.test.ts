// Starts the gateway, the worker, the console and the command line on Node 22 and on Node 24, whichever version runs this suite: one
// webhook comes in and one message goes out on each.
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { operatorKey, testSecrets } from '../support/gateway.ts'
import { findNodes, nodeHint, otherMajors } from '../support/node-versions.ts'
import { readJson } from '../support/package.ts'
import { payload, textMessage } from '../support/payloads.ts'
import {
  type GatewayProgram,
  startGatewayProgram,
  startProgram,
  until,
} from '../support/program.ts'
import { resource } from '../support/resources.ts'
import { registerNumber, startQuietSimulator } from '../support/sending.ts'

const nodes = await findNodes()

const number = { waba_id: 'waba-1', phone_number_id: '7700000000001' }
const customer = '16505550143'

/** The Node version that a process reports of itself. */
async function versionOf(program: GatewayProgram): Promise<string | undefined> {
  const { text } = await program.call('GET', '/metrics', { key: operatorKey })
  return /^nodejs_version_info\{version="v(\d+)\./m.exec(text)?.[1]
}

describe.each(otherMajors)('Node %i', (major) => {
  const node = nodes.get(major)
  const reason = node === undefined ? ` (skipped: ${nodeHint(major)})` : ''

  test.skipIf(node === undefined)(
    `runs a gateway with the console, a worker and the command line${reason}`,
    async () => {
      const { build } = await resource('programs')
      await resource('console')
      const simulator = await startQuietSimulator()
      const environment = {
        DATABASE_URL: await createTestDatabase(),
        META_GRAPH_URL: simulator.url,
      }
      const [gateway, worker] = await Promise.all(
        ['api,console', 'worker'].map((ROLES) =>
          startGatewayProgram({ ...environment, ROLES }, build, node),
        ),
      )
      if (!gateway || !worker) throw new Error('bug: two processes were started')
      const runCommand = async (...args: string[]) => {
        const command = await startProgram(args, { ...testSecrets, ...environment }, build, node)
        const { code } = await command.exited
        return { code, stdout: command.stdout(), stderr: command.stderr() }
      }
      expect(await versionOf(gateway)).toBe(String(major))
      expect(await versionOf(worker)).toBe(String(major))

      // A webhook comes in.
      const { key } = await gateway.createTenant('Firm A', number)
      registerNumber(simulator, {
        wabaId: number.waba_id,
        phoneNumberId: number.phone_number_id,
        accessToken: 'a-token',
      })
      simulator.setWebhook({ url: `${gateway.url}/api/webhooks/meta/whatsapp` })
      const timestamp = String(Math.floor(Date.now() / 1000))
      const messages = [textMessage('wamid.hello', 'Good day', { from: customer, timestamp })]
      expect((await gateway.deliver(payload({ number, messages }))).status).toBe(200)
      const conversation = await until('the API shows the conversation', async () => {
        const { json } = await gateway.call('GET', '/api/whatsapp/conversations', { key })
        return json.data[0]
      })
      expect(JSON.stringify(conversation)).toContain('Good day')

      // A message goes out, and Meta's statuses come back.
      const text = { body: 'Good morning' }
      const sent = await gateway.call('POST', '/api/whatsapp/meta/send', {
        key,
        body: { to: `+${customer}`, type: 'text', text },
      })
      expect([sent.status, sent.text]).toEqual([202, expect.stringContaining('msg_')])
      const message = await until('the message is read', async () => {
        const path = `/api/whatsapp/messages/${sent.json.message_id}`
        const { json } = await gateway.call('GET', path, { key })
        return json.status === 'read' && json
      })
      expect(simulator.ledger().sends.map(({ wamid }) => wamid)).toEqual([message.wamid])

      // The console.
      const page = await gateway.call('GET', '/console')
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('<div id="console">')])
      const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(page.text) ?? []
      expect((await gateway.call('GET', script)).status).toBe(200)

      // The command line.
      expect(await runCommand('--version')).toEqual({
        code: 0,
        stdout: `${readJson('package.json').version}\n`,
        stderr: '',
      })
      const list = await runCommand('tenant', 'list', '--json')
      expect({ ...list, stdout: JSON.parse(list.stdout) }).toMatchObject({
        code: 0,
        stdout: { data: [{ name: 'Firm A' }] },
        stderr: '',
      })

      // Both end cleanly, and Node printed no warning, of a deprecation for example.
      for (const program of [gateway, worker]) {
        expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null })
        expect(program.stderr()).toBe(`Estafet listens on ${program.url}\n`)
      }
    },
  )
})

test('the lock of the binaries names no registry', () => {
  const { packages } = readJson('test/node-versions/package-lock.json')
  expect(Object.keys(packages)).toContain('node_modules/node-24-linux-x64')
  expect(JSON.stringify(packages)).not.toContain('"resolved"')
})
