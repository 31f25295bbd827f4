// Decides which fault strikes whom. Each rule has dice of its own, so that setting one rule more
// leaves the luck of the others as it was; and each opportunity has a throw of its own, so that the
// order in which timers and sockets happen to be served does not change whom a rule strikes.
import { createHash } from 'node:crypto'
import type { Feed } from '../feed.ts'
import type { Ledger } from '../ledger.ts'
import { parseInput, RequestError } from '../request-error.ts'
import { type Clock, fractionOf, type Random, seededRandom } from '../time-and-chance.ts'
import { type FaultInput, type FaultName, faultRuleSchema, type RuleOf } from './rules.ts'
import { isWithin, matches, type Opportunity } from './selectors.ts'

export interface FaultView {
  id: string
  fault: FaultName
  set_at: string
  /** How many opportunities matched, and how many it struck. */
  seen: number
  struck: number
  used_up: boolean
  rule: FaultInput
}

interface StruckBy<Rule> {
  id: string
  rule: Rule
  /** For whatever else the fault leaves to chance. */
  dice: Random
}

export type Struck<Name extends FaultName> = StruckBy<RuleOf<Name>>

/** What the ledger should say about a strike besides the opportunity. */
export interface StrikeContext {
  request_id?: string | null
  wamid?: string | null
}

export interface FaultEngine {
  /** Throws a RequestError that names every wrong field. */
  set(input: unknown): FaultView
  list(): FaultView[]
  remove(id: string): boolean
  clear(): void
  /** The first rule with one of these names that strikes, in the order they were set. */
  strike<Name extends FaultName>(
    names: readonly Name[],
    opportunity: Opportunity,
    context?: StrikeContext,
    only?: (rule: RuleOf<Name>) => boolean,
  ): Struck<Name> | undefined
  /** Every rule with this name that strikes. */
  strikes<Name extends FaultName>(
    name: Name,
    opportunity: Opportunity,
    context?: StrikeContext,
    only?: (rule: RuleOf<Name>) => boolean,
  ): Struck<Name>[]
  /** Rules in force for this opportunity that strike only on a condition `exceeded` checks. */
  strikeIf<Name extends FaultName>(
    name: Name,
    opportunity: Opportunity,
    context: StrikeContext,
    exceeded: (struck: Struck<Name>) => boolean,
  ): Struck<Name> | undefined
}

interface Armed {
  id: string
  rule: Struck<FaultName>['rule']
  /** What its dice derive from. */
  seed: string
  /** How often each opportunity that is no message of its own has come. */
  turns: Map<string, number>
  input: FaultInput
  setAt: Date
  seen: number
  struckCount: number
}

/** A person at the panel may click for a long time; a mistake in a script must not fill memory. */
const maxRules = 1000

export interface EngineOptions {
  clock: Clock
  feed: Feed
  ledger: Ledger
  /** What all dice derive from. */
  seed: string
}

export function createFaultEngine({ clock, feed, ledger, seed }: EngineOptions): FaultEngine {
  const armed = new Map<string, Armed>()
  const counts = new Map<string, number>()

  function countUp(key: string): number {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count
  }

  const record = (each: Armed, opportunity: Opportunity, context: StrikeContext) =>
    recordStrike({ clock, feed, ledger }, each, opportunity, context)

  function* due<Name extends FaultName>(
    names: readonly Name[],
    opportunity: Opportunity,
    context: StrikeContext,
    only: (rule: RuleOf<Name>) => boolean = () => true,
  ): Generator<{ each: Armed; struck: Struck<Name> }> {
    for (const each of armed.values()) {
      if (!(names as readonly FaultName[]).includes(each.rule.fault)) continue
      const rule = each.rule as RuleOf<Name>
      if (!only(rule) || !isInForce(each, opportunity, clock.now())) continue
      const dice = diceFor(each, opportunity, context)
      if (strikes(each, dice)) yield { each, struck: { id: each.id, rule, dice } }
    }
  }

  return {
    set(input) {
      const rule = parseInput(faultRuleSchema, input)
      if (armed.size >= maxRules) {
        throw new RequestError(409, 'TOO_MANY_FAULTS', `there are ${maxRules} rules; remove some`)
      }
      const id = rule.id ?? `${rule.fault}_${countUp(rule.fault)}`
      if (armed.has(id)) throw new RequestError(409, 'FAULT_EXISTS', `id: ${id} is taken`)
      const fresh: Armed = {
        id,
        rule,
        input: structuredClone(input as FaultInput),
        setAt: clock.now(),
        seen: 0,
        struckCount: 0,
        seed: `${seed}:${rule.id ?? anonymousKey(rule)}`,
        turns: new Map(),
      }
      armed.set(id, fresh)
      return show(fresh)
    },
    list: () => [...armed.values()].map(show),
    remove: (id) => armed.delete(id),
    clear: () => armed.clear(),
    strike(names, opportunity, context = {}, only) {
      for (const { each, struck } of due(names, opportunity, context, only)) {
        record(each, opportunity, context)
        return struck
      }
      return undefined
    },
    strikes(name, opportunity, context = {}, only) {
      const found = [...due([name], opportunity, context, only)]
      for (const { each } of found) record(each, opportunity, context)
      return found.map(({ struck }) => struck)
    },
    strikeIf(name, opportunity, context, exceeded) {
      for (const { each, struck } of due([name], opportunity, context)) {
        if (!exceeded(struck)) continue
        record(each, opportunity, context)
        return struck
      }
      return undefined
    },
  }

  /** A rule without an id is known by what it says; the second of two equal ones by that too. */
  function anonymousKey(rule: Armed['rule']): string {
    const content = createHash('sha256').update(JSON.stringify(rule)).digest('hex')
    return `${content}:${countUp(content)}`
  }
}

function isInForce({ rule, setAt, struckCount }: Armed, opportunity: Opportunity, now: Date) {
  return (
    (rule.count === undefined || struckCount < rule.count) &&
    matches(rule.match, opportunity) &&
    isWithin(rule.from, rule.until, setAt, now)
  )
}

/** Asking counts as an opportunity. */
function strikes(each: Armed, dice: Random): boolean {
  const { rule } = each
  each.seen++
  if (each.seen <= rule.skip) return false
  return rule.probability >= 1 || fractionOf(dice) < rule.probability
}

/** A message, and each status of it, is one opportunity; of all others the first, the second … */
function diceFor(each: Armed, opportunity: Opportunity, { wamid = null }: StrikeContext): Random {
  const { phone_number_id, waba_id, recipient } = opportunity
  const { endpoint = null, kind = null, status = null, field = null, template = null } = opportunity
  const what = [endpoint, kind, status, field, template, wamid]
  const key = JSON.stringify([phone_number_id, waba_id, recipient, ...what])
  if (wamid !== null) return seededRandom(`${each.seed}:${key}`)
  const turn = (each.turns.get(key) ?? 0) + 1
  each.turns.set(key, turn)
  return seededRandom(`${each.seed}:${key}:${turn}`)
}

function recordStrike(
  { clock, feed, ledger }: Omit<EngineOptions, 'seed'>,
  each: Armed,
  opportunity: Opportunity,
  context: StrikeContext,
): void {
  each.struckCount++
  const { phone_number_id, recipient, endpoint = null, status = null } = opportunity
  const { request_id = null, wamid = null } = context
  ledger.recordStrike({
    at: clock.now().toISOString(),
    rule_id: each.id,
    fault: each.rule.fault,
    phone_number_id,
    recipient,
    endpoint,
    request_id,
    wamid,
    status,
  })
  feed.emit({
    type: 'fault',
    fault: each.rule.fault,
    rule_id: each.id,
    phone_number_id,
    ...(wamid === null ? {} : { wamid }),
  })
}

function show({ id, rule, input, setAt, seen, struckCount }: Armed): FaultView {
  return {
    id,
    fault: rule.fault,
    set_at: setAt.toISOString(),
    seen,
    struck: struckCount,
    used_up: rule.count !== undefined && struckCount >= rule.count,
    rule: input,
  }
}
