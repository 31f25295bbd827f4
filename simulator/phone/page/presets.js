// @ts-check
// The faults one click away. The whole list is in the simulator; the panel also takes any rule.

/** @typedef {{ id: string, title: string, words: string, rule: Record<string, unknown> }} Preset */

/** @type {{ title: string, presets: Preset[] }[]} */
export const presetGroups = [
  {
    title: 'Calls to Meta',
    presets: [
      {
        id: 'throttle',
        title: 'Throttle',
        words: 'Sends are refused with HTTP 400, code 130429.',
        rule: { fault: 'throttle', match: { endpoint: 'messages' } },
      },
      {
        id: 'outage',
        title: 'Outage',
        words: 'Every call is answered with 503.',
        rule: { fault: 'outage' },
      },
      {
        id: 'slow',
        title: 'Slow',
        words: 'Answers take three seconds longer.',
        rule: { fault: 'slow', delay: '3s' },
      },
      {
        id: 'hang',
        title: 'Hang after accepting',
        words: 'The message goes out, the answer never comes.',
        rule: { fault: 'hang', when: 'after_accepting', match: { endpoint: 'messages' } },
      },
      {
        id: 'reset',
        title: 'Reset after accepting',
        words: 'The message goes out, the connection breaks.',
        rule: { fault: 'reset', when: 'after_accepting', match: { endpoint: 'messages' } },
      },
      {
        id: 'flaky',
        title: 'One in three fails',
        words: 'Code 131000, HTTP 500, by chance.',
        rule: { fault: 'error', probability: 0.33, match: { endpoint: 'messages' } },
      },
      {
        id: 'token',
        title: 'Token revoked',
        words: 'Code 190: the access is gone.',
        rule: { fault: 'token', state: 'revoked' },
      },
    ],
  },
  {
    title: 'Webhooks',
    presets: [
      {
        id: 'duplicate',
        title: 'Duplicates ×3',
        words: 'Every webhook comes three times.',
        rule: { fault: 'duplicate', times: 2 },
      },
      {
        id: 'reorder',
        title: 'Reorder',
        words: 'What happens within two seconds comes in any order.',
        rule: { fault: 'reorder', window: '2s' },
      },
      {
        id: 'early',
        title: 'Early statuses',
        words: 'Sent and delivered come before the answer to the send.',
        rule: { fault: 'early_status', statuses: ['sent', 'delivered'] },
      },
      {
        id: 'skip',
        title: 'No delivered',
        words: 'Read comes without delivered before it.',
        rule: { fault: 'skip_status', statuses: ['delivered'] },
      },
      {
        id: 'malformed',
        title: 'Malformed',
        words: 'Each webhook has a broken one beside it.',
        rule: { fault: 'malformed' },
      },
      {
        id: 'bsuid',
        title: 'No phone numbers',
        words: 'Customers are named by user id alone.',
        rule: { fault: 'bsuid_only' },
      },
    ],
  },
]

/** Marks the rules this panel set, so that their switches can be found again. @param {Preset} preset */
export function presetRuleId(preset) {
  return `panel-${preset.id}`
}
