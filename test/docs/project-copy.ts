// A fresh copy of the project, as after `git clone && npm ci`, with `npm run dev` in it: what every document is tried on.
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../support/after-file.ts'
import { createDirectory, until } from '../support/program.ts'
import { resource } from '../support/resources.ts'

export interface ProjectCopy {
  folder: string
  /** Of a shell there; with `quick`, commands of ours start five times as fast as from the sources. */
  environment(form: 'literal' | 'quick'): Record<string, string>
  /** Starts a command that does not end, as the document says it; resolves once `dev` is there, with what it printed. */
  startDev(command: string): Promise<string>
}

const leftOut = ['node_modules', 'dist', '.git', '.estafet', 'coverage']

export async function copyProject(): Promise<ProjectCopy> {
  const folder = join(await createDirectory(), 'estafet')
  cpSync(packageRoot, folder, {
    recursive: true,
    filter: (source) => !leftOut.includes(relative(packageRoot, source)),
  })
  // What `npm ci` brings: the packages, and the build. Both are here already, and to make them anew takes a minute.
  for (const made of ['node_modules', 'dist'])
    symlinkSync(join(packageRoot, made), join(folder, made))
  await resource('console')
  const shims = makeShims(folder, (await resource('programs')).program)
  const plain = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
  const bare = { HOME: folder, PORT: '0', SIMULATOR_PORT: '0' }
  return {
    folder,
    environment: (form) => ({
      ...bare,
      PATH: `${shims[form]}:${plain}`,
    }),
    async startDev(command) {
      const child = spawn('sh', ['-euc', command], {
        cwd: folder,
        env: { ...bare, PATH: `${shims.literal}:${plain}` },
        stdio: ['ignore', 'pipe', 'pipe'],
        // npm starts a shell that starts the program: Ctrl-C reaches all of them.
        detached: true,
      })
      let printed = ''
      let code: number | null | undefined
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text) => {
          printed += text
        })
      }
      const ended = new Promise<void>((resolve) => {
        child.once('close', (given) => {
          code = given
          resolve()
        })
      })
      afterFile(async () => {
        if (child.pid !== undefined && code === undefined) process.kill(-child.pid, 'SIGINT')
        await ended
      })
      await until('dev is there', () => {
        if (code !== undefined) throw new Error(`${command} ended (${code}):\n${printed}`)
        return (
          printed.includes('Ctrl-C stops everything.') &&
          existsSync(join(folder, '.estafet/dev.env'))
        )
      })
      return printed
    },
  }
}

/** What stands in front of the real commands. */
function makeShims(folder: string, built: string): { quick: string; literal: string } {
  const program = `exec "${process.execPath}" "${built}" "$@"`
  const otherwise = '{ echo "no sample may run this here: $0 $*" >&2; exit 127; }'
  return {
    // From the one file that the tests made of the program.
    quick: writeCommands(join(folder, '.quick'), {
      estafet: program,
      npx: `[ "$1" = estafet ] || ${otherwise}; shift; ${program}`,
      npm: `[ "$1" = run ] || ${otherwise}; shift; [ "$1" != --silent ] || shift
[ "$1 $2" = 'estafet --' ] || ${otherwise}; shift 2; ${program}`,
    }),
    // The packages are lent: whoever installs anew would empty them for everybody.
    literal: writeCommands(join(folder, '.literal'), {
      npm: `[ "$1" = run ] || ${otherwise}; exec "${npm}" "$@"`,
    }),
  }
}

/** Beside node, as it is installed. */
const npm = join(dirname(process.execPath), 'npm')

function writeCommands(folder: string, scripts: Record<string, string>): string {
  mkdirSync(folder)
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}
