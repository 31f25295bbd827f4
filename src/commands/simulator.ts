// `estafet simulator`: a simulated Meta on its own.
import { runSimulator } from '../../simulator/main.ts'
import { loadScenario } from '../../simulator/scenarios.ts'
import { AppError } from '../errors.ts'
import { explainPort } from './port.ts'

type Options = Parameters<typeof runSimulator>[0]

export async function simulatorCommand(options: Options & { port?: number }): Promise<void> {
  checkScenario(options.scenario)
  await runSimulator(options).catch((error) => explainPort(error, options.port ?? 8090, '--port'))
}

function checkScenario(name: string | undefined): void {
  try {
    if (name !== undefined) loadScenario(name)
  } catch (error) {
    const problem = (error as Error).message.replace(/^name: /, '')
    throw new AppError('INVALID_REQUEST', 400, `--scenario: ${problem}`)
  }
}
