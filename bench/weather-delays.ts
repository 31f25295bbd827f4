// In `bench weather`: a steady load on healthy numbers and on others, and how long the healthy ones' messages wait.
import { performance } from 'node:perf_hooks'
import { type Percentiles, pause, percentilesOf, round } from './measure.ts'
import { settleDown } from './outbox-contender.ts'
import { type Job, type JobPayload, jobIdOf, jobsFor } from './outbox-world.ts'
import { calmDown, groupsOf, type WeatherPlace } from './weather-place.ts'

export interface Delays {
  /** Of the healthy numbers' messages, those that were posted by the end of the load, and a second. */
  sentShare: number
  delay: Percentiles
}

export async function measureDelays(
  place: WeatherPlace,
  { seconds, perSecond }: { seconds: number; perSecond: number },
  sky: 'calm' | 'weather',
): Promise<Delays> {
  const { ours, db, world } = place
  const groups = groupsOf(world)
  const others = [...groups.slow, ...groups.throttled, ...groups.down]
  await calmDown(place, [...groups.healthy, ...others], { rate: 80, cap: 2 })
  if (sky === 'weather') await spoilWeather(place)
  await settleDown(db)

  const count = Math.ceil(seconds * perSecond)
  const healthy = jobsFor(groups.healthy, count)
  const addedMs = new Map<number, number>()
  const postedMs = new Map<number, number>()
  const { graph } = ours.runtime
  const working = await ours.workWith({
    ...graph,
    send: (number, body) => {
      postedMs.set(jobIdOf(body as JobPayload), performance.now())
      return graph.send(number, body)
    },
  })
  const add = async (job: Job) => {
    await ours.add(job)
    addedMs.set(job.id, performance.now())
  }
  try {
    await Promise.all([
      addSteadily(healthy, perSecond, add),
      addSteadily(jobsFor(others, count, count), perSecond, add),
    ])
    await pause(1000)
  } finally {
    // What is slow is on its way for seconds yet: the sky clears first.
    await place.simulator.clear()
    await working.stop()
  }
  const delays = healthy.flatMap(({ id }) => {
    const [added, posted] = [addedMs.get(id), postedMs.get(id)]
    // Posted before its caller heard of the commit: no delay.
    return added !== undefined && posted !== undefined ? [Math.max(0, posted - added)] : []
  })
  return { sentShare: round(delays.length / healthy.length, 3), delay: percentilesOf(delays) }
}

async function spoilWeather({ world, simulator }: WeatherPlace): Promise<void> {
  const { slow, throttled, down } = groupsOf(world)
  for (const { number } of slow) {
    await simulator.fault({ fault: 'slow', delay: 2000, match: { phone_number_id: number } })
  }
  for (const { number } of throttled) {
    await simulator.fault({ fault: 'throttle', match: { phone_number_id: number } })
  }
  for (const { number } of down) {
    const match = { phone_number_id: number }
    await simulator.fault({ fault: 'error', code: 131000, http_status: 500, match })
  }
}

/** At an even pace, whatever the calls take. */
async function addSteadily(
  jobs: Job[],
  perSecond: number,
  add: (job: Job) => Promise<void>,
): Promise<void> {
  const startedMs = performance.now()
  const adding: Promise<void>[] = []
  for (const [index, job] of jobs.entries()) {
    const restMs = startedMs + (index / perSecond) * 1000 - performance.now()
    if (restMs > 1) await pause(restMs)
    adding.push(add(job))
  }
  await Promise.all(adding)
}
