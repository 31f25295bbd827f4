// The programs in docs/event-webhooks.md, each run against a real delivery where its language is at hand.
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type EventReceiver,
  type ReceivedCall,
  startEventReceiver,
} from '../support/event-receiver.ts'
import { createDirectory } from '../support/program.ts'
import { startTelling, type Telling, type TellingFirm } from '../support/telling.ts'

const page = readFileSync(new URL('../../docs/event-webhooks.md', import.meta.url), 'utf8')

interface Language {
  /** Of the block in the page. */
  fence: string
  command: string
  /** What makes it run here, where it does not. */
  install: string
  version: string
  file: string
  /** A whole program around the block: it takes the secret, the headers as JSON-like lines, and the body's file. */
  program(block: string): string
  /** What stands before its file, or, compiled, in its place. */
  run: string[]
  /** Once, in the folder of its file. */
  compile?: string[]
}

/** It lives for less than a second: not worth optimizing, nor a second thread. */
const shortLived = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

/** Arguments: body file, secret, id, timestamp, signature. */
const languages: Language[] = [
  {
    fence: 'js',
    command: process.execPath,
    install: 'apt-get install nodejs',
    version: '--version',
    file: 'verify.mjs',
    program: (block) => `${block}
import { readFileSync } from 'node:fs'
const [file, secret, id, timestamp, signature] = process.argv.slice(2)
verify(readFileSync(file), { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }, secret)
`,
    run: [],
  },
  {
    fence: 'python',
    command: 'python3',
    install: 'apt-get install python3',
    version: '--version',
    file: 'verify.py',
    program: (block) => `${block}

import sys
file, secret, id, timestamp, signature = sys.argv[1:]
verify(open(file, "rb").read(), {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}, secret)
`,
    run: [],
  },
  {
    fence: 'java',
    command: 'java',
    install: 'apt-get install default-jdk-headless',
    version: '-version',
    file: 'Main.java',
    // Of a single file the first class is the one that runs; imports stand above it.
    program: (block) =>
      block.replace(
        'class Verifier {',
        `class Main {
    public static void main(String[] args) throws Exception {
        Verifier.verify(java.nio.file.Files.readAllBytes(java.nio.file.Path.of(args[0])),
            Map.of("webhook-id", args[2], "webhook-timestamp", args[3], "webhook-signature", args[4]), args[1]);
    }
}

class Verifier {`,
      ),
    compile: ['javac', ...shortLived.map((option) => `-J${option}`), 'Main.java'],
    run: [...shortLived, '-cp', '.', 'Main'],
  },
  {
    fence: 'php',
    command: 'php',
    install: 'apt-get install php-cli',
    version: '--version',
    file: 'verify.php',
    program: (block) => `${block}
verify(file_get_contents($argv[1]), ['webhook-id' => $argv[3], 'webhook-timestamp' => $argv[4],
    'webhook-signature' => $argv[5]], $argv[2]);
`,
    run: [],
  },
  {
    fence: 'go',
    command: 'go',
    install: 'apt-get install golang-go',
    version: 'version',
    file: 'verify.go',
    program: (block) => `${block.replace('"errors"', '"errors"\n\t"os"')}
func main() {
	body, _ := os.ReadFile(os.Args[1])
	headers := map[string]string{"webhook-id": os.Args[3], "webhook-timestamp": os.Args[4], "webhook-signature": os.Args[5]}
	if verify(body, headers, os.Args[2]) != nil {
		os.Exit(1)
	}
}
`,
    run: ['run'],
  },
]

const missing = languages.filter(
  ({ command, version }) => spawnSync(command, [version]).status !== 0,
)
const isThere = (language: Language) => !missing.includes(language)

/** Behind the name of a test that does not run here. */
const hintOf = (language: Language) =>
  isThere(language) ? '' : ` (no ${language.fence} here; \`${language.install}\` enables it)`

let telling: Telling
let firm: TellingFirm
let app: EventReceiver
let secret: string

beforeAll(async () => {
  telling = await startTelling({}, { isOnTime: true })
  app = await startEventReceiver()
  firm = await telling.createFirm()
  ;({ secret } = await telling.createEndpoint(firm, app.url))
})

/** A delivery that is this old by the time of the machine. */
async function deliver(ageMs: number): Promise<ReceivedCall> {
  const { clock, gateway } = telling
  clock.jump(Date.now() - ageMs - clock.now().getTime())
  await telling.write(firm, '16505550241')
  await gateway.tellDue()
  return app.calls.at(-1) ?? expect.fail('nothing was delivered')
}

/** Where the program is, ready to run. */
async function writeProgram({ fence, file, program, compile }: Language): Promise<string> {
  const folder = await createDirectory()
  const block = new RegExp(`\`\`\`${fence}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1]
  if (block === undefined) throw new Error(`the page has no ${fence}`)
  writeFileSync(join(folder, file), program(block))
  const [compiler, ...args] = compile ?? []
  if (compiler) await promisify(execFile)(compiler, args, { cwd: folder })
  return folder
}

/** The program's exit code. */
async function verdictOf(
  { command, run, file, compile }: Language,
  cwd: string,
  call: ReceivedCall,
  key = secret,
): Promise<number> {
  writeFileSync(join(cwd, 'body'), call.raw)
  const header = (name: string) => String(call.headers[name])
  const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header)
  const program = compile ? run : [...run, file]
  return promisify(execFile)(command, [...program, 'body', key, ...headers], { cwd }).then(
    () => 0,
    (error) => error.code,
  )
}

// Languages are not ours to install: one that is missing is named as skipped, and runs once it is there.
describe.each(languages.map((language) => [language.fence, language] as const))(
  'the verifier in %s',
  (_name, language) => {
    test.skipIf(!isThere(language))(
      `accepts a real delivery, and refuses a tampered and an old one${hintOf(language)}`,
      async () => {
        const folder = await writeProgram(language)
        const old = await deliver(600_000)
        // Just now: to compile a program can take a busy machine the five minutes after which a delivery is refused.
        const fresh = await deliver(0)
        const tampered = {
          ...fresh,
          raw: fresh.raw.replace('message.received', 'message.receiveD'),
        }
        const stranger = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
        const rotating = {
          ...fresh,
          headers: {
            ...fresh.headers,
            'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')} ${fresh.headers['webhook-signature']}`,
          },
        }

        expect(await verdictOf(language, folder, fresh)).toBe(0)
        expect(await verdictOf(language, folder, rotating)).toBe(0)
        expect(await verdictOf(language, folder, tampered)).not.toBe(0)
        expect(await verdictOf(language, folder, old)).not.toBe(0)
        expect(await verdictOf(language, folder, fresh, stranger)).not.toBe(0)
      },
    )
  },
)
