// `estafet simulator`: a simulated Meta on its own.
import { runSimulator } from '../../simulator/main.ts'
import { explainPort } from './port.ts'

type Options = Parameters<typeof runSimulator>[0]

export async function simulatorCommand(options: Options & { port?: number }): Promise<void> {
  await runSimulator(options).catch((error) => explainPort(error, options.port ?? 8090, '--port'))
}
