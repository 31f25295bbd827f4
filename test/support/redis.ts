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
  const dir = createTestFolder()
  let port = await freePort()
  let child: ChildProcess | undefined
  /** False when another program took the port in the meantime, be it another redis-server. */
  const start = async (): Promise<boolean> => {
    const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir]
    const started = spawn(redisProgram(), [...fixed, ...more], { stdio: 'ignore' })
    child = started
    let answers = false
    await until('redis-server answers', async () => {
      answers = await isRedis(port, started.pid)
      return answers || started.exitCode !== null
    })
    return answers
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
  afterFile(stop)
  while (!(await start())) port = await freePort()
  const client = new Redis({ port, retryStrategy: () => 20 })
  client.on('error', () => undefined)
  afterFile(async () => client.disconnect())
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    flush: async () => void (await askOnce(port, (own) => own.flushall())),
    stop,
    startAgain: async () => {
      if (!(await start())) throw new Error(`port ${port} is taken`)
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  }
}

/** On a connection of its own, which shares no fate with earlier ones. */
async function askOnce<T>(port: number, ask: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ port, lazyConnect: true, retryStrategy: null })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await ask(client)
  } finally {
    client.disconnect()
  }
}

async function isRedis(port: number, pid: number | undefined): Promise<boolean> {
  const info = await askOnce(port, (client) => client.info('server')).catch(() => '')
  return info.includes(`process_id:${pid}\r`)
}
