import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listScenarios, loadScenario } from './scenarios.ts'
import { manualClock, pass } from './test-clock.ts'
import { type Scene, shop, startScene, textTo } from './test-support.ts'

let shared: Scene
/** The shared one, unless a test has another. */
let scene: Scene
beforeAll(async () => {
  shared = await startScene()
})
beforeEach(async () => {
  await shared.startAnew()
  scene = shared
})
afterEach(async () => {
  if (scene !== shared) await scene.close()
})
afterAll(() => shared.close())

const start = (body: unknown, headers?: Record<string, string>) =>
  scene.call('POST', '/simulator/scenario', body, headers)
const statusOf = async () => (await scene.send(textTo('+16505550143'))).status
const fields = () =>
  scene.receiver.received.map(({ body }) => JSON.parse(body.toString()).entry[0].changes[0].field)

describe('the scenarios that come with the simulator', () => {
  test('are listed with a description', async () => {
    const { body } = await scene.call('GET', '/simulator/scenarios')

    const names = body.data.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'ambiguous',
        'calm',
        'flaky',
        'identity-changes',
        'outage',
        'storm',
        'throttled',
        'token-revoked',
        'webhook-chaos',
      ]),
    )
    for (const { description } of body.data) expect(description).toEqual(expect.any(String))
  })

  test.each(listScenarios().map(({ name }) => name))('%s plays to its end', async (name) => {
    const clock = manualClock()
    scene = await startScene({ clock })

    const started = await start({ name })
    await pass(scene, clock, 10 * 60_000)

    expect(started).toMatchObject({ status: 201, body: { name } })
    const { body } = await scene.call('GET', '/simulator/scenario')
    expect(body.scenario.problems).toEqual([])
    expect(body.scenario.steps.every(({ done }: { done: boolean }) => done)).toBe(true)
    expect(loadScenario(name).name).toBe(name)
  })

  test('the outage lasts two minutes', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    await start({ name: 'outage' })
    const attempt = () => scene.send(textTo('+16505550143')).then(({ status }) => status, String)

    // The page that comes with 503 is not JSON, so reading it as such fails.
    expect(await attempt()).toMatch(/SyntaxError/)
    await pass(scene, clock, 60_000)
    expect(await attempt()).toMatch(/fetch failed/)
    await pass(scene, clock, 2 * 60_000)

    expect(await attempt()).toBe(200)
  })
})

describe('a scenario of one’s own', () => {
  const yaml = `
name: mine
webhook: { batch_window: 1s }
steps:
  - at: 10s
    faults:
      - { fault: throttle, id: busy }
    events:
      - { field: account_alerts }
  - at: 20s
    clear: [busy]
    faults:
      - { fault: error, code: 2 }
  - at: 30s
    clear: true
`

  test('does each step at its time', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })

    const started = await start(yaml, { 'content-type': 'application/yaml' })
    const seen = [await statusOf()]
    for (let step = 0; step < 3; step++) {
      await pass(scene, clock, 10_000)
      seen.push(await statusOf())
    }

    expect(started.body).toMatchObject({
      name: 'mine',
      steps: [{ at_ms: 10_000, done: false }, {}, {}],
    })
    expect(seen).toEqual([200, 400, 503, 200])
    // Without a number of its own the event is sent for each of the two.
    const alerts = scene.receiver.received.flatMap(({ body }) =>
      JSON.parse(body.toString())
        .entry.flatMap(({ changes }: { changes: { field: string }[] }) => changes)
        .filter(({ field }: { field: string }) => field === 'account_alerts'),
    )
    expect(alerts).toHaveLength(2)
  })

  test('ends when another starts, or when told to, and leaves other faults alone', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    const scenario = {
      name: 'busy',
      webhook: { batch_window: 5000 },
      steps: [
        { faults: [{ fault: 'throttle' }] },
        { at: '1h', events: [{ field: 'account_alerts' }] },
      ],
    }
    await scene.call('POST', '/simulator/faults', { fault: 'lose', match: { kind: 'status' } })

    await start(scenario)
    const during = await statusOf()
    await start({ name: 'calm' })
    const calm = await statusOf()
    await start(scenario)
    await scene.call('DELETE', '/simulator/scenario')
    await pass(scene, clock, 3_600_000)

    expect([during, calm, await statusOf()]).toEqual([400, 200, 200])
    expect(fields()).toEqual([])
    expect((await scene.call('GET', '/simulator/scenario')).body).toEqual({ scenario: null })
    expect((await scene.call('GET', '/simulator/webhook')).body.batch_window).toBe(0)
    const { body } = await scene.call('GET', '/simulator/faults')
    expect(body.data).toMatchObject([{ fault: 'lose' }])
  })

  test('leaves what was set meanwhile as it was set', async () => {
    const webhook = { batch_window: 500, retry_delays: [1000] }
    await start({ name: 'mine', webhook, steps: [{}] })
    await scene.call('PUT', '/simulator/webhook', { retry_delays: [200, 400] })
    await scene.call('DELETE', '/simulator/scenario')

    const { body } = await scene.call('GET', '/simulator/webhook')
    expect(body).toMatchObject({ batch_window: 0, retry_delays: [200, 400] })
  })

  test('says what it could not do when the time came', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    await start({
      name: 'late',
      steps: [{ at: 1, events: [{ field: 'flows', phone_number_id: '999' }] }],
    })
    await pass(scene, clock, 1)

    const { body } = await scene.call('GET', '/simulator/scenario')
    expect(body.scenario.problems).toEqual([expect.stringMatching(/steps\.0.*999/)])
  })

  test.each([
    [{ name: 'nobody' }, 404, /nobody.*calm/],
    [{ name: '../../package' }, 404, /is not one of/],
    [{}, 400, /name/],
    [{ name: 'x', steps: [] }, 400, /steps/],
    [{ name: 'x', steps: [{ at: 'soon' }] }, 400, /steps\.0\.at/],
    [{ name: 'x', steps: [{ faults: [{ fault: 'quake' }] }] }, 400, /steps\.0\.faults\.0\.fault/],
    [
      { name: 'x', steps: [{}, { faults: [{ fault: 'lose', probability: 7 }] }] },
      400,
      /steps\.1\.faults\.0\.probability/,
    ],
    [{ name: 'x', steps: [{ events: [{}] }] }, 400, /steps\.0\.events\.0\.field/],
    [{ name: 'x', steps: [{ fault: 'lose' }] }, 400, /steps\.0.*fault/],
  ])('is checked before it starts: %j', async (scenario, status, message) => {
    const answer = await start(scenario)

    expect(answer).toMatchObject({
      status,
      body: { error: { message: expect.stringMatching(message) } },
    })
    expect((await scene.call('GET', '/simulator/faults')).body.data).toEqual([])
  })

  test('that is not YAML is refused with the place', async () => {
    const answer = await start('name: [', { 'content-type': 'application/yaml' })

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_YAML' } } })
  })

  // Nesting this deep once ended the process, where no test could catch it.
  test.each([
    ['{"a":'.repeat(50_000)],
    ['['.repeat(50_000)],
    ['- '.repeat(50_000)],
    ['? '.repeat(50_000)],
    [Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    [`name: ${'x'.repeat(2 * 1024 * 1024)}`],
  ])('that is too deep or too long is refused: %#', async (source) => {
    const answer = await start(source, { 'content-type': 'application/yaml' })

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_YAML' } } })
    expect(answer.body.error.message).toMatch(/deeper than|longer than/)
  })
})

test('a number that a rule in a file names is struck alone', async () => {
  scene.simulator.startScenario({
    name: 'one',
    steps: [{ faults: [{ fault: 'throttle', match: { phone_number_id: shop.phone_number_id } }] }],
  })

  expect(await statusOf()).toBe(400)
})
