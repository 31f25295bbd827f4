// Runs commands of the program, one after another, in this one process, which has loaded it: of a start only cli.ts itself is
// done anew. See commands.ts.
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

const [, program] = process.argv.splice(1)
const end = process.exit.bind(process)
let count = 0
/** A command that has failed in this way may go on all the same, and would meet the next one. */
let isLast = false
process.prependListener('uncaughtException', () => {
  isLast = true
})
// Whatever a command has left open.
process.once('disconnect', () => end())

process.on('message', async ({ args, environment, input, mark }) => {
  const before = listeners()
  process.argv.splice(1, Number.POSITIVE_INFINITY, program, ...args)
  process.env = environment
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    value: Readable.from([Buffer.from(input)]),
  })
  process.exitCode = undefined
  const code = await new Promise((exit) => {
    process.exit = (given) => void exit(Number(given ?? process.exitCode ?? 0))
    count++
    import(`${pathToFileURL(program)}?${count}`).catch((error) => {
      process.stderr.write(`${error.stack}\n`)
      exit(1)
    })
  })
  // Whatever the command wanted to hear, or to do at its end.
  for (const [emitter, name, heard] of listeners()) {
    const known = before.some(([one, other, listener]) => {
      return one === emitter && other === name && listener === heard
    })
    if (known) continue
    if (name === 'exit') heard(code)
    emitter.off(name, heard)
  }
  for (const stream of [process.stdout, process.stderr]) stream.write(mark)
  process.send({ code, isLast }, () => isLast && end())
})

const listeners = () =>
  [process, process.stdout, process.stderr].flatMap((emitter) =>
    emitter
      .eventNames()
      .flatMap((name) => emitter.rawListeners(name).map((heard) => [emitter, name, heard])),
  )
