// Where the fuzzing over HTTP happens: a database with firms in it, a Meta to ask, and the gateway in its own process.
import { type OpenApiDocument, resolved } from '../../src/api/openapi-model.ts'
import type { Db } from '../../src/db/connect.ts'
import { createTestFolder } from '../../test/support/folder.ts'
import { tenantANumber, tenantBNumber } from '../../test/support/gateway.ts'
import {
  createFirm,
  declaredRoutes,
  internalToken,
  startWorld,
  type World,
} from '../../test/support/world.ts'
import { keepRows, type WatchedGateway, watchGateway } from './gateway.ts'
import { siblingNumber } from './grammar.ts'
import { type Ask, createAsk } from './http.ts'
import type { GrammarPlace, RoutesPlace } from './model.ts'
import { learnCursors } from './routes.ts'

export interface PlaceOptions {
  database: { url: string; db: Db }
  /** The built program. */
  program: string
  checkOneIn: number
}

export interface Place extends GrammarPlace {
  world: World
  gateway: WatchedGateway
  ask: Ask
}

/** `seed` puts in what is there before each chunk. */
async function openPlace<Seeded>(
  { database, program, checkOneIn }: PlaceOptions,
  roles: string,
  seed: (world: World) => Promise<Seeded>,
): Promise<Place & { seeded: Seeded }> {
  // Firms are made by a gateway in this process, which then has nothing more to do.
  const shared = { DATA_DIR: createTestFolder(), INTERNAL_TASK_TOKEN: internalToken }
  const world = await startWorld({ database, environment: shared })
  const seeded = await seed(world)
  const gateway = await watchGateway({
    program,
    checkOneIn,
    environment: {
      DATABASE_URL: database.url,
      META_GRAPH_URL: world.simulator.url,
      ...shared,
      ROLES: roles,
    },
  })
  const restore = await keepRows(database.db)
  return {
    world,
    gateway,
    seeded,
    ask: createAsk(gateway.url),
    db: database.db,
    restore,
    troubles: gateway.troubles,
  }
}

export function openForGrammar(options: PlaceOptions): Promise<GrammarPlace & Place> {
  // Workers too: what is stored must also be processed.
  return openPlace(options, 'api,worker', seedNumbers)
}

/** Two firms with everything in them that a route can name. */
export async function openForRoutes(options: PlaceOptions): Promise<RoutesPlace & Place> {
  const place = await openPlace(options, 'api', async (world) => ({
    A: await createFirm(world, 'alder'),
    B: await createFirm(world, 'birch'),
  }))
  const { json } = await place.ask({ method: 'GET', path: '/openapi.json', headers: {} })
  const opened = {
    ...place,
    url: place.gateway.url,
    firms: place.seeded,
    document: resolved(json as OpenApiDocument),
    routes: declaredRoutes(),
  }
  await learnCursors(opened)
  return opened
}

/** The numbers of the fixtures, and one for the good messages beside them. */
async function seedNumbers(world: World): Promise<void> {
  await world.createTenant('alpha', tenantANumber)
  await world.createTenant('beta', tenantBNumber)
  await world.createTenant('siblings', siblingNumber)
}
