// The SDK is in a process only where there is a collector; and a collector that never answers holds up nobody.
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { startCollector } from '../support/collector.ts'
import { createTestDb } from '../support/database.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { startGatewayProgram, until } from '../support/program.ts'
import { resource } from '../support/resources.ts'

const hook = fileURLToPath(new URL('../support/print-loaded-modules.mjs', import.meta.url))
let databaseUrl: string

beforeAll(async () => {
  databaseUrl = (await createTestDb()).url
})

/** Takes a webhook and, once that is so, ends; the packages that it had loaded by then. */
async function run(
  environment: Record<string, string>,
  isSo: () => boolean = () => true,
): Promise<string[]> {
  const settings = { DATABASE_URL: databaseUrl, NODE_OPTIONS: `--import=${hook}`, ...environment }
  // File by file: what is in one file is loaded from nowhere.
  const gateway = await startGatewayProgram(settings, (await resource('programs')).build)
  const delivery = payload({ messages: [textMessage(`wamid.${gateway.pid}`, 'hello')] })
  expect((await gateway.deliver(delivery)).status).toBe(200)
  await gateway.untilLogged('inbound_processing_finished')
  await until('it may end', isSo)
  expect(await gateway.end('SIGTERM')).toEqual({ code: 0, signal: null })
  return /^loaded: (.*)$/m.exec(gateway.stderr())?.[1]?.split(' ') ?? []
}

describe('a gateway', () => {
  test('without a collector has no SDK', async () => {
    const loaded = await run({})
    expect(loaded).toContain('pg')
    // prom-client brings the interfaces along.
    const ours = loaded.filter((name) => name.startsWith('@opentelemetry/'))
    expect(ours.filter((name) => name !== '@opentelemetry/api')).toEqual([])
  })

  test('with a collector that never answers works, and ends when it is told to', async () => {
    const collector = await startCollector()
    collector.react('hang')
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const loaded = await run(environment, () => collector.calls.length > 0)
    // The way to look is the right one: here it sees the SDK.
    expect(loaded).toContain('@opentelemetry/sdk-trace')
  })
})
