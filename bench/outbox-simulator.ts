// The simulator in a process of its own, for `bench outbox`: told its numbers over IPC, it answers with its address.
import { startSimulator } from '../simulator/server.ts'

export interface SimulatorStart {
  numbers: string[]
  accessToken: string
}

process.on('message', ({ numbers, accessToken }: SimulatorStart) => {
  start(numbers, accessToken).then(
    (url) => process.send?.({ url }),
    (error) => process.send?.({ error: String((error as Error).stack) }),
  )
})
// Whoever started us is gone, or done.
process.on('disconnect', () => process.exit(0))
// Ctrl-C is for whoever started us, who stops us in order.
process.on('SIGINT', () => undefined)

async function start(numbers: string[], accessToken: string): Promise<string> {
  // No webhook URL: statuses go nowhere. Nobody wrote to these numbers, so the window is left open.
  const simulator = await startSimulator({
    appSecret: 'bench-simulator-secret',
    serviceWindow: 'open',
  })
  for (const number of numbers) {
    simulator.registerNumber({
      phone_number_id: number,
      waba_id: '215589313241560',
      display_phone_number: '+1 555-0100',
      access_token: accessToken,
    })
  }
  return simulator.url
}
