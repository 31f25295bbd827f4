import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

test.each(['SIGINT', 'SIGTERM'] as const)(
  'says where it listens and stops on %s',
  async (signal) => {
    const main = new URL('./main.ts', import.meta.url).href
    const program = `(await import(${JSON.stringify(main)})).runSimulator({ port: 0 })`
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
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
