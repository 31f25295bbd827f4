// Decides which fault strikes whom. Each rule has dice of its own, so that setting one rule more
// leaves the luck of the others as it was.
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

interface Armed extends Struck<FaultName> {
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
    only: (rule: RuleOf<Name>) => boolean = () => true,
  ) {
    for (const each of armed.values()) {
      if (!(names as readonly FaultName[]).includes(each.rule.fault)) continue
      const named = each as Armed & Struck<Name>
      if (only(named.rule) && isDue(each, opportunity, clock.now())) yield named
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
        dice: seededRandom(`${seed}:${rule.id ?? anonymousKey(rule)}`),
      }
      armed.set(id, fresh)
      return show(fresh)
    },
    list: () => [...armed.values()].map(show),
    remove: (id) => armed.delete(id),
    clear: () => armed.clear(),
    strike(names, opportunity, context = {}, only) {
      for (const each of due(names, opportunity, only)) {
        record(each, opportunity, context)
        return each
      }
      return undefined
    },
    strikes(name, opportunity, context = {}, only) {
      const struck = [...due([name], opportunity, only)]
      for (const each of struck) record(each, opportunity, context)
      return struck
    },
    strikeIf(name, opportunity, context, exceeded) {
      for (const each of due([name], opportunity)) {
        if (!exceeded(each)) continue
        record(each, opportunity, context)
        return each
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

/** Whether a rule strikes; asking counts as an opportunity and may throw its dice. */
function isDue(each: Armed, opportunity: Opportunity, now: Date): boolean {
  const { rule, setAt } = each
  if (rule.count !== undefined && each.struckCount >= rule.count) return false
  if (!matches(rule.match, opportunity)) return false
  if (!isWithin(rule.from, rule.until, setAt, now)) return false
  each.seen++
  if (each.seen <= rule.skip) return false
  return rule.probability >= 1 || fractionOf(each.dice) < rule.probability
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
