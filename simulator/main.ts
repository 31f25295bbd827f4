// The simulator as a program of its own. Importing it does nothing; the CLI calls runSimulator.
import { loadScenario } from './scenarios.ts'
import { defaultAppId, type SimulatorOptions, startSimulator } from './server.ts'
import { seededRandom } from './time-and-chance.ts'

export interface RunOptions {
  host?: string
  port?: number
  appId?: string
  appSecret?: string
  webhookUrl?: string
  verifyToken?: string
  /** `open`: a customer need not have written in the last 24 hours. */
  serviceWindow?: 'enforced' | 'open'
  /** The same seed gives the same message ids in the same order. Without one every run differs. */
  seed?: string
  /** The name of a scenario, or a path to a file with one. */
  scenario?: string
  /** Where the ledger is also written, so that it survives this process. */
  ledgerFile?: string
  /** Where an emulated Google Cloud Tasks listens for gRPC; 0 picks a free port. None by default. */
  cloudTasksPort?: number
  print?: (line: string) => void
}

const defaultPort = 8090
const defaultAppSecret = 'simulator-app-secret'
const defaultVerifyToken = 'simulator-verify-token'

/** Listens until SIGINT or SIGTERM, then stops cleanly and resolves. */
export async function runSimulator(options: RunOptions = {}): Promise<void> {
  const { print = printLine, seed, scenario: wanted, ...given } = options
  // Read first: a mistake in it is better known before anything listens.
  const scenario = wanted === undefined ? undefined : loadScenario(wanted)
  const settings = {
    port: defaultPort,
    appId: defaultAppId,
    appSecret: defaultAppSecret,
    verifyToken: defaultVerifyToken,
    ...given,
    ...(seed === undefined ? {} : { random: seededRandom(seed) }),
  } satisfies SimulatorOptions

  const simulator = await startSimulator(settings)
  if (scenario !== undefined) simulator.startScenario(scenario)
  const stopRequested = nextStopSignal()
  print(welcome(simulator.url, settings))
  if (simulator.cloudTasks) print(cloudTasksWelcome(simulator.url, simulator.cloudTasks.endpoint))
  if (scenario !== undefined) print(`Scenario: ${scenario.name}`)
  print(`Stopping on ${await stopRequested}.`)
  await simulator.close()
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

function nextStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    function stop(signal: NodeJS.Signals) {
      // From here on the defaults apply again: a second Ctrl-C ends a stop that hangs.
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
      resolve(signal)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}

interface Announced {
  appId: string
  appSecret: string
  verifyToken: string
  webhookUrl?: string
}

function welcome(url: string, announced: Announced): string {
  const { appId, appSecret, verifyToken, webhookUrl } = announced
  return `Meta simulator: ${url}
A customer's phone: ${url}/phone

The gateway needs
  META_GRAPH_URL=${url}
  META_APP_ID=${appId}
  META_APP_SECRET=${appSecret}
  META_VERIFY_TOKEN=${verifyToken}
Webhooks go to ${webhookUrl ?? 'nowhere yet (see below)'}.

Set where webhooks go, and check the handshake:
  curl -X PUT ${url}/simulator/webhook -d '{"url": "http://127.0.0.1:8080/api/webhooks/meta/whatsapp"}'
  curl -X POST ${url}/simulator/webhook/verify
Register a number the gateway may send from:
  curl ${url}/simulator/numbers -d '{"phone_number_id": "1001", "waba_id": "2001", "display_phone_number": "+1 555 0100", "access_token": "token-1001"}'
Be a customer:
  curl ${url}/simulator/customers/16505550143/messages -d '{"phone_number_id": "1001", "type": "text", "text": "Hello"}'
Make it misbehave (see simulator/scenarios/README.md):
  curl ${url}/simulator/scenario -d '{"name": "flaky"}'
  curl ${url}/simulator/faults -d '{"fault": "throttle", "count": 3}'
See what happened:
  curl ${url}/simulator/ledger
`
}

function cloudTasksWelcome(url: string, endpoint: string): string {
  return `Cloud Tasks: ${endpoint}
With DISPATCH=cloud-tasks the gateway needs
  CLOUD_TASKS_ENDPOINT=${endpoint}
A queue is made when its first task comes. Public keys of the identity tokens on tasks:
  ${url}/simulator/cloud-tasks/certs
Change a queue's limits, lose a tenth of the tasks, see what was delivered:
  curl -X PUT ${url}/simulator/cloud-tasks/queues -d '{"name": "projects/demo/locations/local/queues/outbound", "max_dispatches_per_second": 10}'
  curl ${url}/simulator/cloud-tasks/faults -d '{"fault": "drop", "probability": 0.1}'
  curl ${url}/simulator/cloud-tasks/dispatches
`
}
