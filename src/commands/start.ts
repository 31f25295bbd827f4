import { type Config, readConfig } from '../config.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { errorFields } from '../log.ts'
import { createRuntime, logFor } from '../runtime.ts'
import { sleep, systemClock } from '../time-and-chance.ts'
import { migrateWhenReachable, openDatabase } from './database.ts'
import { explainPort } from './port.ts'
import { stoppingWith, untilStopped } from './signals.ts'

/** Container platforms kill 10 s after they asked to stop. What is acknowledged is committed, so nothing is lost by haste. */
const stopWithinMs = 8_000

/** Production: the environment decides. Runs until it is told to stop. */
export async function start(): Promise<void> {
  const config = readConfig(undefined, { mode: 'start' })
  // Heard from the beginning: whoever asks while we start gets an orderly end too.
  const stopped = untilStopped()
  const stop = await serve(config, stoppingWith(stopped))
  await stopped
  await stop()
}

async function serve(config: Config, stopping: AbortSignal): Promise<() => Promise<void>> {
  const clock = systemClock
  const log = logFor(config, clock)
  for (const warning of config.warnings)
    log.warn('configuration_warning', { error_message: warning })
  process.on('unhandledRejection', (error) => log.error('unhandled_rejection', errorFields(error)))
  const database = await openDatabase(config, clock)
  let gateway: Gateway
  try {
    if (!(await migrateWhenReachable(database.url, clock, log, stopping))) return database.close
    const runtime = createRuntime({ config, databaseUrl: database.url, clock, log })
    gateway = await startGateway(runtime, { farewellMs: 1_000 }).catch((error) =>
      explainPort(error, config.port, 'PORT'),
    )
  } catch (error) {
    await database.close()
    throw error
  }
  // For people; the log line `started` says the same to machines.
  process.stderr.write(`Estafet listens on ${gateway.url}\n`)
  return async () => {
    const inTime = gateway.stop().then(() => true)
    const tooLate = sleep(clock, stopWithinMs).then(() => false)
    if (!(await Promise.race([inTime, tooLate]))) log.warn('stopped_in_haste', { pid: process.pid })
    await database.close()
  }
}
