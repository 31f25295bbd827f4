// What a process logs through a pipe: its last lines arrive, and a reader that went away does not end it.
import { spawn } from 'node:child_process'
import { describe, expect, test } from 'vitest'

describe('stdout', () => {
  const script = (work: string) => `
    import { createLog } from ${JSON.stringify(new URL('../../src/log.ts', import.meta.url).href)}
    import { systemClock } from ${JSON.stringify(new URL('../../src/time-and-chance.ts', import.meta.url).href)}
    const log = createLog({ level: 'info', hashKey: Buffer.alloc(32), clock: systemClock })
    ${work}`
  const run = (work: string) =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script(work)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
  const exitOf = (child: ReturnType<typeof run>) =>
    new Promise<number | null>((resolve) => child.once('exit', resolve))

  test('a reader that went away does not end the process', async () => {
    const child = run(`
      process.stdin.once('end', () => {
        for (let i = 0; i < 1000; i++) log.info('started', { count: i })
        process.exitCode = 7
      }).resume()`)
    child.stdout.destroy()
    child.stdin.end()

    expect(await exitOf(child)).toBe(7)
  })

  test('no line is lost at the exit when the reader is slow and the pipe does not block', async () => {
    // Touching process.stdout is what makes the pipe non-blocking; 10,000 lines are more than it holds.
    const child = run(`
      void process.stdout.writable
      for (let i = 0; i < 10_000; i++) log.info('started', { count: i })
      process.exit(7)`)
    let text = ''
    child.stdout.on('data', (part) => {
      text += part
      child.stdout.pause()
      setImmediate(() => child.stdout.resume())
    })
    const ended = new Promise((resolve) => child.stdout.once('end', resolve))

    expect(await exitOf(child)).toBe(7)
    await ended
    const counts = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).count)
    expect(counts).toEqual(Array.from({ length: 10_000 }, (_, index) => index))
  })
})
