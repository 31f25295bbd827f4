// A real redis-server of one's own on a private port, to be flushed, stopped and held up at will.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { afterFile } from './after-file.ts'
import { createTestFolder } from './folder.ts'
import { freePort } from './free-port.ts'
import { until } from './program.ts'

/** What to say of a skipped test. */
export const redisHint = 'no redis-server here; `apt-get install redis-server` enables it'

/** Where it is, `REDIS_SERVER` names another one. */
function redisProgram(): string {
  // biome-ignore lint/style/noProcessEnv: it is the machine that is asked, not the gateway's settings.
  return process.env.REDIS_SERVER ?? 'redis-server'
}

export function redisRuns(): boolean {
  return spawnSync(redisProgram(), ['--version']).status === 0
}

export interface OwnRedis {
  url: string
  port: number
  /** Looks at it from outside. */
  client: Redis
  /** Forgets everything. */
  flush(): Promise<void>
  /** `kill -9`: what it held is gone. */
  stop(): Promise<void>
  startAgain(): Promise<void>
  /** It takes connections and answers nobody, until it may go on. */
  freeze(): void
  thaw(): void
}

/** Nothing of it is kept on disk. `more`: further arguments. */
export async function startRedis(more: string[] = []): Promise<OwnRedis> {
  const port = await freePort()
  const dir = createTestFolder()
  let child: ChildProcess | undefined
  const client = new Redis({ port, lazyConnect: true, retryStrategy: () => 20 })
  client.on('error', () => undefined)
  const start = async () => {
    const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir]
    child = spawn(redisProgram(), [...fixed, ...more], { stdio: 'ignore' })
    client.connect().catch(() => undefined)
    await until(
      'redis-server answers',
      async () => (await client.ping().catch(() => '')) === 'PONG',
    )
  }
  const stop = async () => {
    const ended = child
    child = undefined
    if (!ended || ended.exitCode !== null) return
    const gone = once(ended, 'exit')
    // One that is frozen ends too.
    ended.kill('SIGKILL')
    await gone
  }
  afterFile(async () => {
    client.disconnect()
    await stop()
  })
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    flush: async () => void (await client.flushall()),
    stop,
    startAgain: start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  }
}
