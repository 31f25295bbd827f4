// Plays a scenario: sets its faults and sends its events when their time comes. One at a time.
import type { Background } from './background.ts'
import type { FaultEngine } from './faults/engine.ts'
import type { Scenario, ScenarioStep } from './scenarios.ts'
import type { Clock } from './time-and-chance.ts'
import type { WebhookTarget } from './webhooks/courier.ts'
import type { EventSender } from './webhooks/events.ts'

export interface RunningScenario {
  name: string
  description: string | null
  started_at: string
  steps: { at_ms: number; note: string | null; done: boolean }[]
  /** What could not be done when its time came, e.g. an event for a number that is gone. */
  problems: string[]
}

export interface ScenarioRunner {
  /** Ends the scenario before it. */
  start(scenario: Scenario): RunningScenario
  current(): RunningScenario | null
  /** Takes back the faults it set; what it did to messages stays done. */
  stop(): void
}

export interface RunnerOptions {
  clock: Clock
  background: Background
  faults: FaultEngine
  events: EventSender
  target: WebhookTarget
}

interface Run {
  view: RunningScenario
  faultIds: Set<string>
  restoreTarget(): void
}

export function createScenarioRunner(options: RunnerOptions): ScenarioRunner {
  const { clock, background, faults, events, target } = options
  let run: Run | undefined

  function stop(): void {
    for (const id of run?.faultIds ?? []) faults.remove(id)
    run?.restoreTarget()
    run = undefined
  }

  function perform(current: Run, step: ScenarioStep, index: number): void {
    if (run !== current) return
    const attempt = (task: () => void) => {
      try {
        task()
      } catch (error) {
        current.view.problems.push(`steps.${index}: ${(error as Error).message}`)
      }
    }
    for (const id of step.clear === true ? current.faultIds : (step.clear ?? [])) faults.remove(id)
    for (const fault of step.faults) {
      attempt(() => void current.faultIds.add(faults.set(fault).id))
    }
    for (const event of step.events) attempt(() => void events.sendToAll(event))
    const shown = current.view.steps[index]
    if (shown !== undefined) shown.done = true
  }

  return {
    start(scenario) {
      stop()
      const current: Run = {
        view: {
          name: scenario.name,
          description: scenario.description ?? null,
          started_at: clock.now().toISOString(),
          steps: scenario.steps.map(({ at, note }) => ({
            at_ms: at,
            note: note ?? null,
            done: false,
          })),
          problems: [],
        },
        faultIds: new Set(),
        restoreTarget: adjust(target, scenario.webhook),
      }
      run = current
      scenario.steps.forEach((step, index) => {
        if (step.at === 0) perform(current, step, index)
        else background.later(step.at, async () => perform(current, step, index))
      })
      return structuredClone(current.view)
    },
    current: () => (run === undefined ? null : structuredClone(run.view)),
    stop,
  }
}

/** What somebody else has set meanwhile stays as they set it. */
function adjust(target: WebhookTarget, { batch_window, retry_delays }: Scenario['webhook']) {
  const before = { ...target }
  target.batchWindowMs = batch_window ?? target.batchWindowMs
  target.retryDelaysMs = retry_delays ?? target.retryDelaysMs
  const { batchWindowMs, retryDelaysMs } = target
  return () => {
    if (target.batchWindowMs === batchWindowMs) target.batchWindowMs = before.batchWindowMs
    if (target.retryDelaysMs === retryDelaysMs) target.retryDelaysMs = before.retryDelaysMs
  }
}
