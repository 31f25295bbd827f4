// One life: a gateway dies at its crash point under the standard load, another takes its place, everything comes to its end;
// then what is known from outside is looked at.
import { patienceMs } from './client.ts'
import { runLoad } from './load.ts'
import type { Stage } from './stage.ts'
import type { Way } from './ways.ts'
import { createWorld, type Living } from './world.ts'

export interface LifeOptions {
  stage: Stage
  /** The program in which processes can die. */
  program: string
  label: string
  /** At which pass. */
  pass: number
  way: Way
}

export interface Outcome {
  label: string
  pass: number
  deaths: number
  /** Every label that was passed by any of its processes. */
  passed: string[]
  violations: string[]
}

export async function live({ stage, program, label, pass, way }: LifeOptions): Promise<Outcome> {
  const world = await createWorld({ ...(await stage.copy()), key: stage.firm.key, program })
  const fates = [...(way.after === undefined ? [] : [`${way.after}#1`]), `${label}#${pass}`]
  let deaths = 0
  let gateway = await world.start({ CRASH_AT: fates[0] ?? '' })
  const load = runLoad(world)
  // Whoever waits for the load hears of it; here it must not be the end of everything.
  load.catch(() => undefined)
  for (const next of [...fates.slice(1), undefined]) {
    if (way.isStopping) await load
    const exit = await endOf(gateway, way.isStopping ?? false)
    if (exit?.signal === 'SIGKILL') deaths++
    else if (next === undefined) break
    world.lead(undefined)
    await world.expire()
    gateway = await world.start({ CRASH_AT: next ?? '' })
  }
  await load
  await world.quiet()
  const exit = await gateway.end('SIGTERM')
  const violations = [
    ...(exit.code === 0 ? [] : [`the last process ended with ${exit.code ?? exit.signal}`]),
    ...(await world.check()),
  ]
  return { label, pass, deaths, passed: await world.passed(), violations }
}

/** Undefined: it lives on. */
async function endOf(gateway: Living, isStopping: boolean) {
  if (isStopping) return gateway.end('SIGTERM')
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs)
  })
  const exit = await Promise.race([gateway.exited, patience])
  clearTimeout(timer)
  return exit
}
