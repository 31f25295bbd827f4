import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../package-root.ts'
import { alertRules } from './rules.ts'

const runbook = readFileSync(join(packageRoot, 'docs/runbook.md'), 'utf8')

test('every alert has its section in the runbook, and every such section its alert', () => {
  // Other sections have titles that are no rule's name.
  const sections = [...runbook.matchAll(/^## ([a-z]+(?:_[a-z]+)+)$/gm)].map(([, name]) => name)
  expect(sections.toSorted()).toEqual(alertRules.map(({ name }) => name).toSorted())
})

test.each(alertRules.map(({ name }) => name))(
  '%s: says what to look at, what to do, and when it is over',
  (name) => {
    const section = runbook.split(`## ${name}\n`)[1]?.split('\n## ')[0] ?? ''
    expect(section.match(/^- (Look at|Do|Over): /gm)).toEqual(['- Look at: ', '- Do: ', '- Over: '])
  },
)

test('the rules are those that everybody counts on', () => {
  expect(alertRules.map(({ name }) => name)).toEqual([
    'dead_letters_over_threshold',
    'retries_exhausted',
    'webhook_failure_spike',
    'rate_limited',
    'processing_failures',
    'circuit_open',
    'reauth_needed',
    'token_expiring',
    'backlog_too_old',
    'account_restricted',
    'alert_delivery_failing',
    'number_claimed_twice',
    'event_endpoint_disabled',
  ])
})
