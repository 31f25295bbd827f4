import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { shop, textTo } from '../../simulator/test-support.ts'
import { resource } from '../support/resources.ts'

const { program } = await resource('programs')

const runSimulator = (...options: string[]) =>
  spawn(process.execPath, [program, 'simulator', '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

test.each(['SIGINT', 'SIGTERM'] as const)(
  'says where it listens and stops on %s',
  async (signal) => {
    const child = runSimulator()
    const exited = once(child, 'exit')

    const lines: string[] = []
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      if (line.includes('/simulator/ledger')) break
    }
    const url = lines[0]?.replace('Meta simulator: ', '')
    const answer = await fetch(`${url}/simulator/ledger`)
    child.kill(signal)

    expect(await answer.json()).toMatchObject({ sends: [] })
    expect(lines).toContain(`  META_GRAPH_URL=${url}`)
    expect(await exited).toEqual([0, null])
  },
)

test('plays a scenario, and its ledger survives its own death', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'))
  const ledgerFile = join(folder, 'ledger.jsonl')
  const child = runSimulator('--scenario', 'throttled', '--ledger-file', ledgerFile)
  const exited = once(child, 'exit')
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('Meta simulator: ')) url = line.replace('Meta simulator: ', '')
    if (line === 'Scenario: throttled') break
  }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.access_token}` },
      body: JSON.stringify(body),
    })
    return JSON.parse(await answer.text())
  }
  await post('/simulator/numbers', shop)
  await fetch(`${url}/simulator/faults`, { method: 'DELETE' })
  const sent = await post(`/v25.0/${shop.phone_number_id}/messages`, textTo('+16505550143'))
  child.kill('SIGKILL')
  await exited

  const lines = (await readFile(ledgerFile, 'utf8')).trimEnd().split('\n')
  await rm(folder, { recursive: true })
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ list: 'sends', wamid: sent.messages[0].id }),
  )
})

test('emulates Cloud Tasks beside Meta when it is told where', async () => {
  const child = runSimulator('--cloud-tasks-port', '0')
  const exited = once(child, 'exit')
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (line.includes('cloud-tasks/dispatches')) break
  }
  const url = lines[0]?.replace('Meta simulator: ', '')
  const answer = await fetch(`${url}/simulator/cloud-tasks/queues`)
  child.kill('SIGTERM')

  expect(await answer.json()).toEqual({ data: [] })
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}CLOUD_TASKS_ENDPOINT=127\.0\.0\.1:\d+$/))
  expect(await exited).toEqual([0, null])
})
