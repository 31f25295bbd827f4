// A Firestore of one's own: Google's emulator where the Cloud SDK has it, else the one from npm, which gets right what we
// use (create, read, write) and knows no contention. Tests print which one it was.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { FirestoreServer } from '@firestore-emulator/server'
import { afterFile } from './after-file.ts'
import { freePort } from './free-port.ts'
import { until } from './program.ts'

export interface OwnFirestore {
  /** Which one it is, for the name of a test. */
  name: string
  project: string
  /** For FIRESTORE_EMULATOR_HOST. */
  host: string
  /** Forgets everything. */
  flush(): Promise<void>
  /** What it held is gone. */
  stop(): Promise<void>
  startAgain(): Promise<void>
}

/** Environment of a program that talks to it: without this it looks for Google's own machines first. */
export const firestoreEnvironment = (firestore: OwnFirestore) => ({
  DEDUPE_STORE: 'firestore',
  FIRESTORE_PROJECT: firestore.project,
  FIRESTORE_EMULATOR_HOST: firestore.host,
  METADATA_SERVER_DETECTION: 'none',
})

const project = 'estafet-tests'
const jar = join('platform', 'cloud-firestore-emulator', 'cloud-firestore-emulator.jar')

/** `FIRESTORE_EMULATOR_JAR` names another one; empty: none. */
function findGoogles(): string | undefined {
  // biome-ignore lint/style/noProcessEnv: it is the machine that is asked, not the gateway's settings.
  const { FIRESTORE_EMULATOR_JAR, PATH = '' } = process.env
  const beside = PATH.split(delimiter)
    .map((folder) => join(folder, 'gcloud'))
    .filter((place) => existsSync(place))
    .map((place) => join(dirname(realpathSync(place)), '..', jar))
  const usual = ['/usr/lib/google-cloud-sdk', join(homedir(), 'google-cloud-sdk')]
  const places = [...beside, ...usual.map((folder) => join(folder, jar))]
  const found = FIRESTORE_EMULATOR_JAR ?? places.find((place) => existsSync(place))
  return found && spawnSync('java', ['-version']).status === 0 ? found : undefined
}

const googlesHint =
  '`apt-get install google-cloud-cli-firestore-emulator default-jre-headless` enables Google’s own'

export async function startFirestore(): Promise<OwnFirestore> {
  skipMetadataServer()
  const googles = findGoogles()
  for (let tries = 1; ; tries++) {
    const port = await freePort()
    const one = googles === undefined ? npms(port) : googlesAt(googles, port)
    afterFile(one.stop)
    try {
      await one.startAgain()
    } catch (error) {
      // Another program may have taken the port in the meantime.
      if (tries === 5) throw error
      continue
    }
    process.stdout.write(`firestore: ${one.name}\n`)
    return { project, host: `127.0.0.1:${port}`, ...one }
  }
}

/** Until the end of the file: the client in this process would ask for Google's own machines for seconds. */
function skipMetadataServer(): void {
  // biome-ignore lint/style/noProcessEnv: the client reads it there and nowhere else.
  const environment = process.env
  const before = environment.METADATA_SERVER_DETECTION
  environment.METADATA_SERVER_DETECTION = 'none'
  afterFile(async () => {
    if (before === undefined) delete environment.METADATA_SERVER_DETECTION
    else environment.METADATA_SERVER_DETECTION = before
  })
}

type Emulator = Omit<OwnFirestore, 'project' | 'host'>

function googlesAt(path: string, port: number): Emulator {
  let child: ChildProcess | undefined
  const main = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore'
  const documents = `http://127.0.0.1:${port}/v1/projects/${project}/databases/(default)/documents`
  /** Once it is warm: the first commit takes it a second. */
  const isWarm = async () => {
    const body = JSON.stringify({ fields: {} })
    const headers = { authorization: 'Bearer owner' }
    const answer = await fetch(`${documents}/warm`, { method: 'POST', body, headers })
    return answer.ok
  }
  return {
    name: "Google's emulator",
    flush: async () => {
      const url = documents.replace('/v1/', '/emulator/v1/')
      const answer = await fetch(url, { method: 'DELETE' })
      if (!answer.ok) throw new Error(`the emulator was to forget, and answered ${answer.status}`)
    },
    async stop() {
      const ended = child
      child = undefined
      if (!ended || ended.exitCode !== null) return
      const gone = once(ended, 'exit')
      ended.kill('SIGKILL')
      await gone
    },
    async startAgain() {
      const where = ['--host=127.0.0.1', `--port=${port}`]
      const flags = ['-Duser.language=en', '-Xmx256m', '-XX:TieredStopAtLevel=1']
      const started = spawn('java', [...flags, '-cp', path, main, 'start', ...where], {
        stdio: 'ignore',
      })
      child = started
      await until('the Firestore emulator is warm', () => {
        if (started.exitCode !== null) throw new Error('the Firestore emulator ended at its start')
        return isWarm().catch(() => false)
      })
    },
  }
}

function npms(port: number): Emulator {
  let server: FirestoreServer | undefined
  const stop = async () => {
    server?.stop()
    server = undefined
  }
  const startAgain = async () => {
    server = new FirestoreServer()
    await server.start(port)
  }
  return {
    name: `the emulator from npm (creates, reads and writes; no contention); ${googlesHint}`,
    flush: async () => {
      await stop()
      await startAgain()
    },
    stop,
    startAgain,
  }
}
