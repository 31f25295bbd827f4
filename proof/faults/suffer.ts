// One trouble (troubles.ts) while the standard load runs, and more is written and sent for as long as it lasts; then everything
// comes to its end, and what is known from outside is looked at.
import { startDatabaseProxy } from '../../test/support/fault-proxy.ts'
import { startOwnPostgres } from '../../test/support/program.ts'
import { pause } from '../nemesis/client.ts'
import { runLoad } from './load.ts'
import { mountSmallDisk, moveOnto } from './small-disk.ts'
import { type Stage, setStage } from './stage.ts'
import type { Scene, Trouble } from './troubles.ts'
import { createWorld, type World } from './world.ts'

export interface SufferOptions {
  /** Undefined: it is set in a server of its own. */
  stage?: Stage
  program: string
  trouble: Trouble
  fraction: () => number
}

export interface Suffered {
  violations: string[]
  /** Why it could not be tried on this machine. */
  leftOut?: string
}

export async function suffer(options: SufferOptions): Promise<Suffered> {
  const { program, trouble, fraction } = options
  const disk = trouble.needsDisk ? await mountSmallDisk() : undefined
  if (typeof disk === 'string') return { violations: [], leftOut: disk }
  const postgres = trouble.database === 'own' ? await startOwnPostgres({}) : undefined
  if (disk && postgres) await moveOnto(disk.folder, postgres)
  const stage = postgres ? await setStage(program, postgres.url) : options.stage
  if (!stage) throw new Error('bug: no stage')
  const place = postgres ? stage.itself : await stage.copy()
  const { proxy, url } = await startDatabaseProxy(place.databaseUrl)
  const world = await createWorld({
    ...place,
    key: stage.firm.key,
    program,
    ...(trouble.database === 'behind a proxy' && { seenDatabaseUrl: url }),
  })
  const scene = { world, gateway: await world.start(), fraction, proxy, postgres, disk } as Scene
  // What is done once when a process starts comes again only after minutes.
  await world.settledIn()
  const more = keepBusy(world)
  const load = runLoad(world)
  load.catch(() => undefined)
  await trouble.strike(scene)
  await more.stop()
  await load
  await world.relent()
  await world.quiet()
  const exit = await scene.gateway.end('SIGTERM')
  const ended = exit.code === 0 ? [] : [`the process ended with ${exit.code ?? exit.signal}`]
  return { violations: [...ended, ...(await world.check())] }
}

/** Somebody writes and is written to, one after the other, until it is over: often enough to be hit by whatever happens, and no
 *  more, because all of it has to come to its end and to be looked at. */
function keepBusy({ client }: World): { stop(): Promise<void> } {
  let isOver = false
  async function talk(): Promise<void> {
    for (let round = 1; !isOver; round++) {
      // Nobody is written to so often that it is held back for that.
      const somebody = String(16505550200 + Math.floor(round / 20))
      await client.write([{ from: somebody, wamid: `wamid.${somebody}-${round}` }])
      await client.send(somebody, 1, round)
      await pause(50)
    }
  }
  const talking = talk()
  talking.catch(() => undefined)
  return {
    async stop() {
      isOver = true
      await talking
    },
  }
}
