// The documents of the site, in their groups and order. A document that is in no group fails the build.

export interface PageEntry {
  /** In the repository. */
  file: string
  /** Its name below /docs. */
  page: string
  /** What it is about, in a line: for the first page and llms.txt. */
  about: string
}

export interface PageGroup {
  name: string
  pages: PageEntry[]
}

const document = (page: string, about: string): PageEntry => ({
  file: `docs/${page}.md`,
  page,
  about,
})
const atRoot = (file: string, page: string, about: string): PageEntry => ({ file, page, about })

export const groups: PageGroup[] = [
  {
    name: 'Start',
    pages: [
      document('getting-started', 'From nothing to a message sent and received, on a laptop.'),
      document(
        'concepts',
        'Tenants, numbers, windows, queues: the words and how they fit together.',
      ),
      document(
        'connecting-meta',
        'The Meta app, its permissions and webhook, sign-up, going live.',
      ),
      document('faq', 'Short answers to what people ask first.'),
    ],
  },
  {
    name: 'Build',
    pages: [
      document('sending', 'Every message type, idempotency, scheduling, order, what comes back.'),
      document('receiving', 'What customers write, and how an application hears of it.'),
      document('event-webhooks', 'Signed webhooks and a stream of everything that happens.'),
      document(
        'templates-and-media',
        'Templates from draft to delivery, and files in both directions.',
      ),
      document('tenants-and-limits', 'Who may do what, how much of it, and how fast.'),
      document(
        'retries-and-dead-letters',
        'What is tried again, what is given up, and how to decide.',
      ),
      document('client', 'The TypeScript client: typed calls, retries, pages, events.'),
    ],
  },
  {
    name: 'Run',
    pages: [
      document('deployment', 'Docker, Compose, Cloud Run and their costs and limits.'),
      document('operations', 'Health, what to watch, stuck messages, reconcile, capacity, logs.'),
      document('runbook', 'What each alert means, what to look at, what to do.'),
      document('upgrading', 'From one version to the next without losing a webhook.'),
      document('security', 'What is protected from whom, and how.'),
      document('cloud-tasks', 'Google Cloud Tasks instead of workers that poll.'),
      document('dedupe', 'Redis or Firestore in front of Postgres’ own dedupe keys.'),
      document('tracing', 'One trace from webhook to reply to status.'),
    ],
  },
  {
    name: 'Reference',
    pages: [
      document('configuration', 'Every environment variable.'),
      document('cli', 'Every command with its arguments and options.'),
      document('errors', 'Every error code, ours and Meta’s, and what to do.'),
      document('metrics', 'Every metric with its labels.'),
      document('logs', 'Every event in the log.'),
      document('bad-input', 'What malformed input of every kind is answered with.'),
    ],
  },
  {
    name: 'Proof',
    pages: [
      document('guarantees', 'What holds whatever breaks, and how that is tested.'),
      document('speed', 'Measured throughput and cost, beside others.'),
      document('comparison', 'What each cell of the comparison with others rests on.'),
      document('manual-test', 'Twelve checks to do by hand against a running gateway.'),
    ],
  },
  {
    name: 'Project',
    pages: [
      atRoot('ARCHITECTURE.md', 'architecture', 'How it is built, file by file.'),
      atRoot('CONTRIBUTING.md', 'contributing', 'The first day with the sources.'),
      atRoot('SECURITY.md', 'security-policy', 'How to report a weakness.'),
      atRoot('CHANGELOG.md', 'changelog', 'What changed, version by version.'),
    ],
  },
]

/** Where the guide begins. */
export const firstPage = 'guide'
