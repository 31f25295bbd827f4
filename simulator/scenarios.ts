// Scenario files: what goes wrong, and when. Read from simulator/scenarios by name, or from a path.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Lexer, Parser, parse } from 'yaml'
import { z } from 'zod'
import { durationSchema } from './faults/durations.ts'
import { type FaultInput, faultRuleSchema } from './faults/rules.ts'
import { parseInput, RequestError } from './request-error.ts'
import { type EventInput, eventSchema } from './webhooks/event-context.ts'

const stepSchema = z.strictObject({
  /** Since the scenario was started. */
  at: durationSchema.default(0),
  /** What happens here, for people. */
  note: z.string().optional(),
  /** True ends every fault that the scenario set so far; a list ends those with these ids. */
  clear: z.union([z.literal(true), z.array(z.string())]).optional(),
  faults: z.array(z.unknown()).default([]),
  events: z.array(z.unknown()).default([]),
})

const scenarioSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  webhook: z
    .strictObject({
      batch_window: durationSchema.optional(),
      retry_delays: z.array(durationSchema).optional(),
    })
    .default({}),
  steps: z.array(stepSchema).min(1),
})

export interface ScenarioStep {
  at: number
  note?: string | undefined
  clear?: true | string[] | undefined
  faults: FaultInput[]
  events: EventInput[]
}

export interface Scenario {
  name: string
  description?: string | undefined
  webhook: { batch_window?: number | undefined; retry_delays?: number[] | undefined }
  /** In the order of time. */
  steps: ScenarioStep[]
}

/** Checks the whole scenario now, so that a mistake in its last step does not wait for that step. */
export function readScenario(input: unknown): Scenario {
  const { steps, ...scenario } = parseInput(scenarioSchema, input)
  for (const [step, { faults, events }] of steps.entries()) {
    const check = (schema: z.ZodType, list: string, entries: unknown[]) => {
      for (const [index, entry] of entries.entries()) {
        parseInput(schema, entry, ['steps', String(step), list, String(index)])
      }
    }
    check(faultRuleSchema, 'faults', faults)
    check(eventSchema, 'events', events)
  }
  return { ...scenario, steps: (steps as ScenarioStep[]).toSorted((a, b) => a.at - b.at) }
}

/** Far more than any scenario needs; YAML could otherwise make much out of little. */
const maxAliases = 100

/** Reading is recursive: deep nesting does not throw there but ends the whole process. */
const maxOpenNodes = 100
const maxYamlLength = 1024 * 1024

export function parseScenario(yaml: string): Scenario {
  return readScenario(parseYaml(yaml))
}

function parseYaml(yaml: string): unknown {
  try {
    checkYaml(yaml)
    return parse(yaml, { maxAliasCount: maxAliases })
  } catch (error) {
    throw new RequestError(400, 'INVALID_YAML', `body: ${(error as Error).message}`)
  }
}

/** The first stage of the reader is not recursive, and knows how many nodes are open. */
function checkYaml(yaml: string): void {
  if (yaml.length > maxYamlLength) throw new Error('longer than 1 MiB')
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(yaml)) {
    // What it yields is not needed, but it only moves on when it is asked.
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > maxOpenNodes) {
      throw new Error(`nested deeper than ${maxOpenNodes} levels`)
    }
  }
}

/** `nameOrPath` is the name of a scenario that comes with the simulator, or a path to a file. */
export function loadScenario(nameOrPath: string): Scenario {
  if (/\.ya?ml$/.test(nameOrPath)) return parseScenario(readFileSync(nameOrPath, 'utf8'))
  return loadNamedScenario(nameOrPath)
}

/** For strangers: no path leads out of the folder. */
export function loadNamedScenario(name: string): Scenario {
  const file = scenarioNames().includes(name) && new URL(`${name}.yaml`, folder())
  if (!file) {
    const known = scenarioNames().join(', ')
    throw new RequestError(404, 'SCENARIO_NOT_FOUND', `name: ${name} is not one of ${known}`)
  }
  return parseScenario(readFileSync(file, 'utf8'))
}

export function listScenarios(): { name: string; description: string | null }[] {
  return scenarioNames().map((name) => ({
    name,
    description: loadNamedScenario(name).description ?? null,
  }))
}

function scenarioNames(): string[] {
  return readdirSync(fileURLToPath(folder()))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort()
}

/** Beside this file in the sources; a build has only the code, so then the sources' folder. */
function folder(): URL {
  const beside = new URL('./scenarios/', import.meta.url)
  return existsSync(beside) ? beside : new URL('../../simulator/scenarios/', import.meta.url)
}
