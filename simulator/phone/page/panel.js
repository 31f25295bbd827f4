// @ts-check
// Meta's side: which faults are on and how often each struck, scenarios, and what was asked lately.
import { call } from './api.js'
import { ask } from './dialogs.js'
import { byId, h, refocus, released } from './dom.js'
import { exactTime } from './format.js'
import { presetGroups, presetRuleId } from './presets.js'

/** @typedef {{ id: string, fault: string, struck: number, seen: number, used_up: boolean, rule: any }} Fault */
/** @typedef {{ name: string, description: string | null }} Scenario */
/** @typedef {{ name: string, steps: { done: boolean }[] }} Running */
/** @typedef {{ id: string, method: string, path: string, endpoint: string, recipient: string | null, arrived_at: string, status: number | null, outcome: string, wamid: string | null, faults: string[] }} GraphCall */

const panel = byId('panel', HTMLElement)
const faultsBox = h('div', { class: 'sect' })
const scenariosBox = h('div', { class: 'sect' })
const callsBox = h('div', { class: 'sect latest' })
const trouble = h('p', { class: 'trouble', role: 'alert', hidden: true })

let number = ''
/** @type {Fault[]} */
let faults = []
let drawn = ''

/** A busy gateway makes thousands of calls; the panel looks at most this often. */
const leastMsBetweenLoads = 700
let nextLoad = 0

export function startPanel() {
  panel.append(
    h(
      'div',
      { class: 'pane-head' },
      h('h2', {}, 'Meta'),
      h('button', { type: 'button', class: 'btn', onclick: clearFaults }, 'All faults off'),
    ),
    trouble,
    h('div', { class: 'pane-body' }, faultsBox, scenariosBox),
    callsBox,
  )
}

/** @param {string | undefined} phoneNumberId */
export function showPanel(phoneNumberId) {
  number = phoneNumberId ?? ''
  if (panel.offsetParent === null || nextLoad !== 0) return
  nextLoad = setTimeout(
    () => {
      nextLoad = 0
      void load()
    },
    drawn === '' ? 0 : leastMsBetweenLoads,
  )
}

async function load() {
  try {
    const query = number === '' ? '' : `?phone_number_id=${encodeURIComponent(number)}`
    const [rules, scenarios, running, calls] = await Promise.all([
      call('GET', '/faults'),
      call('GET', '/scenarios'),
      call('GET', '/scenario'),
      call('GET', `/phone/calls${query}`),
    ])
    faults = rules.data
    const text = JSON.stringify([rules, scenarios, running, calls])
    if (text === drawn) return
    if (drawn === '') complain(undefined)
    drawn = text
    await released()
    drawFaults()
    drawScenarios(scenarios.data, running.scenario)
    drawCalls(calls.data)
  } catch (error) {
    // Later the bar says that the connection is lost; what is shown here was true until then.
    if (drawn === '') complain(error)
  }
}

/** @param {unknown} error */
function complain(error) {
  trouble.textContent =
    error === undefined ? '' : error instanceof Error ? error.message : String(error)
  trouble.hidden = error === undefined
}

/** @param {() => Promise<unknown>} task */
async function act(task) {
  try {
    await task()
    complain(undefined)
  } catch (error) {
    complain(error)
  }
  await load()
}

function clearFaults() {
  void act(() => call('DELETE', '/faults'))
}

function drawFaults() {
  const focused = document.activeElement?.getAttribute('data-fault')
  const known = new Set(presetGroups.flatMap(({ presets }) => presets.map(presetRuleId)))
  const others = faults.filter((fault) => !known.has(fault.id))
  faultsBox.replaceChildren(
    ...presetGroups.flatMap(({ title, presets }) => [
      h('h3', {}, title),
      h('ul', { class: 'faults' }, ...presets.map((preset) => h('li', {}, presetSwitch(preset)))),
    ]),
    h('h3', {}, 'Other rules'),
    others.length === 0
      ? h(
          'p',
          { class: 'muted small' },
          'None. Tests and scenarios may set some; they appear here.',
        )
      : h('ul', { class: 'faults' }, ...others.map(otherRule)),
    h('p', {}, h('button', { type: 'button', class: 'btn', onclick: askRule }, 'Add a rule…')),
  )
  refocus(faultsBox, 'data-fault', focused)
}

/** @param {import('./presets.js').Preset} preset */
function presetSwitch(preset) {
  const id = presetRuleId(preset)
  const fault = faults.find((each) => each.id === id)
  const toggle = () =>
    act(() =>
      fault ? call('DELETE', `/faults/${id}`) : call('POST', '/faults', { id, ...preset.rule }),
    )
  return h(
    'button',
    {
      type: 'button',
      role: 'switch',
      class: 'fault',
      'data-fault': id,
      'aria-checked': String(fault !== undefined),
      onclick: () => void toggle(),
    },
    h('span', { class: 'knob', 'aria-hidden': 'true' }),
    h('span', {}, h('b', {}, preset.title), h('small', {}, preset.words)),
    fault ? struckCount(fault) : null,
  )
}

/** @param {Fault} fault */
function struckCount({ struck, used_up }) {
  return h(
    'span',
    { class: 'struck num' },
    used_up ? `used up after ${struck}` : `struck ${struck}×`,
  )
}

/** @param {Fault} fault */
function otherRule(fault) {
  const { id: _id, fault: _fault, ...details } = fault.rule ?? {}
  return h(
    'li',
    { class: 'fault' },
    h(
      'span',
      {},
      h('b', {}, `${fault.fault} `),
      h('small', { class: 'mono' }, JSON.stringify(details)),
    ),
    struckCount(fault),
    h(
      'button',
      {
        type: 'button',
        class: 'btn',
        'data-fault': fault.id,
        'aria-label': `Remove ${fault.id}`,
        onclick: () => void act(() => call('DELETE', `/faults/${encodeURIComponent(fault.id)}`)),
      },
      'Remove',
    ),
  )
}

function askRule() {
  const example = JSON.stringify({ fault: 'fail', code: 131026, count: 1 }, null, 2)
  const rule = h(
    'textarea',
    { name: 'rule', rows: 8, class: 'mono', spellcheck: 'false', required: true },
    example,
  )
  ask(
    'Add a rule',
    'Add',
    [h('label', { class: 'field' }, h('span', {}, 'Rule as JSON'), rule)],
    async (values) => {
      await call('POST', '/faults', JSON.parse(values.rule ?? ''))
      await load()
    },
  )
}

/**
 * @param {Scenario[]} scenarios
 * @param {Running | null} running
 */
function drawScenarios(scenarios, running) {
  const focused = document.activeElement?.getAttribute('data-scenario')
  scenariosBox.replaceChildren(
    h('h3', {}, 'Scenarios'),
    scenarios.length === 0
      ? h('p', { class: 'muted small' }, 'None are installed.')
      : h(
          'ul',
          { class: 'faults' },
          ...scenarios.map((each) => h('li', {}, scenarioSwitch(each, running))),
        ),
  )
  refocus(scenariosBox, 'data-scenario', focused)
}

/**
 * @param {Scenario} scenario
 * @param {Running | null} running
 */
function scenarioSwitch({ name, description }, running) {
  const current = running?.name === name ? running : undefined
  const toggle = () =>
    act(() => (current ? call('DELETE', '/scenario') : call('POST', '/scenario', { name })))
  const done = current?.steps.filter((step) => step.done).length
  return h(
    'button',
    {
      type: 'button',
      role: 'switch',
      class: 'fault',
      'data-scenario': name,
      'aria-checked': String(current !== undefined),
      onclick: () => void toggle(),
    },
    h('span', { class: 'knob', 'aria-hidden': 'true' }),
    h('span', {}, h('b', {}, name), h('small', {}, description ?? '')),
    current ? h('span', { class: 'struck num' }, `step ${done} of ${current.steps.length}`) : null,
  )
}

/** @param {GraphCall[]} calls */
function drawCalls(calls) {
  callsBox.replaceChildren(
    h('h3', {}, 'Latest calls'),
    calls.length === 0
      ? h('p', { class: 'muted small' }, 'The gateway has not called yet.')
      : h('ul', { class: 'calls' }, ...calls.map(callRow)),
  )
}

/** @param {GraphCall} graphCall */
function callRow({
  method,
  path,
  endpoint,
  recipient,
  arrived_at,
  status,
  outcome,
  faults: struck,
}) {
  const good = status !== null && status < 400
  const result =
    status === null ? ({ open: 'open', cut: 'cut off' }[outcome] ?? outcome) : String(status)
  return h(
    'li',
    {},
    h('span', { class: `state ${good ? 'ok' : outcome === 'open' ? 'open' : 'bad'}` }, result),
    h(
      'span',
      { class: 'cut', title: `${method} ${path}` },
      `${method} ${endpoint}${recipient ? ` to ${recipient}` : ''}`,
    ),
    h(
      'time',
      { datetime: arrived_at, title: exactTime(arrived_at) },
      new Date(arrived_at).toLocaleTimeString(),
    ),
    struck.length > 0 ? h('small', { class: 'warn' }, struck.join(', ')) : null,
  )
}
