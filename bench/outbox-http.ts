// Sends per second over HTTP in `bench outbox`: our worker and a bare loop of POSTs, to the same simulator.
import { type ChildProcess, fork } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { packageRoot } from '../src/package-root.ts'
import { isFromSource } from './child.ts'
import { round } from './measure.ts'
import { settleDown } from './outbox-contender.ts'
import type { Ours } from './outbox-ours.ts'
import type { SimulatorStart } from './outbox-simulator.ts'
import { accessToken, type Job, jobsFor, payloadOf, type World } from './outbox-world.ts'
import type { BenchDatabase } from './postgres.ts'

export interface HttpCell {
  round: number
  gatewayPerSecond: number
  barePerSecond: number
}

export interface BenchSimulator {
  url: string
  stop(): void
}

/** As many as our worker has in flight. */
const connections = 64

export async function startBenchSimulator(world: World): Promise<BenchSimulator> {
  const file = `./outbox-simulator.${isFromSource ? 'ts' : 'js'}`
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    cwd: packageRoot,
    execArgv: isFromSource ? ['--import', 'tsx'] : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const order: SimulatorStart = {
    numbers: [world.busy, ...world.small].map((tenant) => tenant.number),
    accessToken,
  }
  const { url, error } = await ask(child, order)
  if (url === undefined) throw new Error(error)
  return { url, stop: () => child.disconnect() }
}

function ask(child: ChildProcess, order: SimulatorStart) {
  return new Promise<{ url?: string; error?: string }>((resolve) => {
    child.once('message', (answer) => resolve(answer as { url?: string }))
    child.once('exit', () => resolve({ error: 'The simulator of the bench died.' }))
    child.send(order)
  })
}

export async function measureGateway(
  ours: Ours,
  { db }: BenchDatabase,
  world: World,
  count: number,
): Promise<number> {
  await ours.clear()
  await ours.fill(jobsFor(world.small, count))
  await settleDown(db)
  const { graph } = ours.runtime
  const warm = Math.ceil(count / 10)
  let sent = 0
  let fromMs = 0
  let finish: (ms: number) => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  const finished = new Promise<number>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  const working = await ours.workWith({
    ...graph,
    send: async (number, body) => {
      const answer = await graph.send(number, body)
      if (answer.kind !== 'accepted')
        fail(new Error(`bug: the simulator did not accept: ${JSON.stringify(answer)}`))
      sent++
      if (sent === warm) fromMs = performance.now()
      if (sent === count) finish(performance.now() - fromMs)
      return answer
    },
  })
  const tookMs = await finished.finally(working.stop)
  const left = await ours.remaining()
  if (left > 0) throw new Error(`bug: ${left} of ${count} were not sent`)
  return round(((count - warm) / tookMs) * 1000)
}

export async function measureBare(url: string, world: World, count: number): Promise<number> {
  const pool = new Pool(url, { connections })
  const waiting = jobsFor(world.small, count)
  const warm = Math.ceil(count / 10)
  let sent = 0
  let fromMs = 0
  const loop = async () => {
    for (let job = waiting.pop(); job; job = waiting.pop()) {
      await post(pool, job)
      sent++
      if (sent === warm) fromMs = performance.now()
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  const tookMs = performance.now() - fromMs
  await pool.close()
  return round(((count - warm) / tookMs) * 1000)
}

async function post(pool: Pool, job: Job): Promise<void> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: `/v26.0/${job.tenant.number}/messages`,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(payloadOf(job)),
  })
  const answer = await body.json()
  if (statusCode !== 200)
    throw new Error(`bug: the simulator did not accept: ${JSON.stringify(answer)}`)
}
