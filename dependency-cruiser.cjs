// The dependency rule, as code. ARCHITECTURE.md explains it; `npm run imports` runs it.
// Imports point down: entry -> composition -> features -> adapters -> platform.

const entry = '^src/(cli(-program)?\\.ts|commands/)'
const composition = '^src/(gateway|runtime|workers|periodic)\\.ts$'
const features = '^src/(inbox|conversations|consent|responder|outbox|dead-letters|accounts|templates|media|tenants|people|contacts|audit|events|alerts|ops|tasks|secrets)/'
const adapters = '^src/(meta|dispatch|dedupe|queue|net)/'
const platform = '^src/(db/|api/|tracing/|http\\.ts|log[a-z-]*\\.ts|metrics[a-z-]*\\.ts|recent\\.ts|again-and-again\\.ts|ids\\.ts|micro-batch\\.ts|package-root\\.ts|time-and-chance\\.ts|errors[a-z-]*\\.ts|config[a-z-]*\\.ts)'
const tests = '\\.(test|conformance)\\.tsx?$|^test/|^proof/'

// Which feature may call which. Anything not listed is forbidden; keep the list short.
const featureEdges = {
  // inbox puts what it cannot apply among the dead letters (bury.ts); requeue.ts goes the other way, file by file no cycle.
  inbox: [
    ...['conversations', 'contacts', 'consent', 'responder', 'outbox', 'accounts', 'tenants', 'dead-letters', 'templates'],
    'media',
  ],
  // conversations marks messages read at Meta with the number's token, and shows how far their files got and what their
  // templates say.
  conversations: ['accounts', 'audit', 'consent', 'media', 'templates'],
  // consent keeps the words; the outbox ends what waits (end-suppressed.ts), also for what is suppressed by hand.
  consent: ['contacts', 'outbox', 'dead-letters', 'audit'],
  contacts: ['audit'],
  responder: ['conversations'],
  // outbox asks the mirror before it accepts a template, and hands a message's files over to Meta before it sends.
  outbox: ['accounts', 'consent', 'contacts', 'conversations', 'tenants', 'dead-letters', 'audit', 'templates', 'media', 'alerts'],
  'dead-letters': ['inbox', 'outbox', 'audit'],
  // What Meta answers, and who wants whose number, is noted for alerts where it is learnt (alerts/signal.ts).
  accounts: ['tenants', 'audit', 'alerts'],
  templates: ['accounts', 'audit'],
  media: ['accounts'],
  tenants: ['audit'],
  people: ['audit'],
  // An http responder's answer goes into the outbox; a secret comes out of the vault. Nobody calls events: triggers record.
  events: ['outbox', 'accounts', 'audit'],
  // Alerts look at what others keep, and are posted and signed as events are.
  alerts: ['accounts', 'outbox', 'events', 'ops', 'audit'],
  // An act and its audit row share a transaction, so everybody may call audit and audit calls nobody.
  audit: [],
  // What others seal is sealed anew under another key: each knows what its secrets belong to.
  secrets: ['accounts', 'events', 'alerts'],
  // The internal endpoints answer for what the queues did with one row.
  tasks: ['inbox', 'outbox'],
  ops: ['inbox', 'outbox', 'accounts', 'tenants', 'conversations', 'dead-letters', 'audit'],
}

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

module.exports = {
  forbidden: [
    forbid('no-cycles', 'A cycle means two modules are one.', {}, { circular: true }),
    forbid('entry-is-the-top', 'Nothing imports the CLI but tests and what describes it.', { pathNot: [entry, tests, '^site/'] }, { path: entry }),
    forbid(
      'composition-is-near-the-top',
      'Only commands, tests and the composition root itself see the whole Runtime.',
      { pathNot: [entry, composition, tests, '^(bench|scripts)/'] },
      { path: composition },
    ),
    forbid('adapters-know-no-feature', 'meta, dispatch and dedupe are protocols, not product.', { path: adapters, pathNot: tests }, { path: features }),
    forbid('platform-knows-nobody', 'db, log, time, errors, config stand alone.', { path: platform }, { path: [features, adapters] }),
    ...Object.entries(featureEdges).map(([feature, allowed]) =>
      forbid(
        `feature-edges-${feature}`,
        `${feature} may use: ${allowed.join(', ') || 'no other feature'}.`,
        { path: `^src/${feature}/`, pathNot: tests },
        { path: features, pathNot: [feature, ...allowed].map((name) => `^src/${name}/`) },
      ),
    ),
    forbid(
      'queries-stay-home',
      "A feature's SQL is private to it; call its verbs instead. ops and dead-letters may read.",
      { path: '^src/([^/]+)/', pathNot: ['^src/(ops|dead-letters)/', tests] },
      { path: '^src/[^/]+/[a-z-]*queries\\.ts$', pathNot: '^src/$1/' },
    ),
    forbid(
      'ports-not-adapters',
      'Features see dispatch/queue.ts and dedupe/dedupe.ts, never a concrete backend.',
      { path: features, pathNot: tests },
      { path: '^src/(dispatch|dedupe)/', pathNot: '^src/(dispatch/queue|dedupe/dedupe)\\.ts$' },
    ),
    forbid('meta-is-pure', 'The wire format knows no database.', { path: '^src/meta/', pathNot: tests }, { path: '^src/db/|node_modules/pg/' }),
    forbid(
      'one-door-to-postgres',
      'Only db/connect.ts imports the driver.',
      { path: '^src/', pathNot: ['^src/db/connect\\.ts$', tests] },
      { path: 'node_modules/pg/' },
    ),
    forbid(
      'tracing-costs-nothing-when-off',
      'Only tracing/otlp.ts knows the OpenTelemetry SDK, and it is loaded with import() where a collector is configured.',
      { path: '^src/', pathNot: ['^src/tracing/otlp\\.ts$', tests] },
      { path: 'node_modules/@opentelemetry/' },
    ),
    forbid(
      'the-exporter-is-loaded-late',
      'A static import of it would load the SDK in every process.',
      { path: '^src/', pathNot: tests },
      { path: '^src/tracing/otlp\\.ts$', dynamic: false, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'commands-are-loaded-late',
      'What declares commands loads none of them: `--help` and `start` do not wait for the bench and the simulator.',
      { path: '^src/(cli(-program)?\\.ts|commands/(declare-[a-z-]+|cli-command)\\.ts)$' },
      { path: '^(src|simulator|bench)/', pathNot: '^src/(cli-program|package-root|commands/(declare-[a-z-]+|cli-command))\\.ts$', dynamic: false },
    ),
    forbid('simulator-is-independent', 'An oracle that shares code with the gateway agrees with its bugs.', { path: '^simulator/' }, { path: '^src/' }),
    forbid(
      'the-client-stands-alone',
      'It runs in the applications of others, where nothing of this is: no product code, no package, no Node.',
      { path: '^client/' },
      { pathNot: '^client/' },
    ),
    forbid(
      'examples-are-applications',
      'They know what an application knows: the client, and Node.',
      { path: '^examples/' },
      { pathNot: '^(client|examples|estafet/client$)', dependencyTypesNot: ['core'] },
    ),
    forbid('nobody-imports-examples', 'Nor what writes files.', { pathNot: '^(examples|scripts)/|^test/' }, { path: '^(examples|scripts)/' }),
    // What the console may see is checked by test/house.test.ts: the parser below reads no JSX.
    forbid('console-is-not-imported', 'The server serves built assets, not React.', { path: '^(src|simulator|bench)/' }, { path: '^console/' }),
    forbid('no-test-code-in-product', '', { path: '^(src|client|examples|simulator|console)/', pathNot: tests }, { path: tests }),
    forbid('no-dev-deps-at-runtime', '', { path: '^src/', pathNot: tests }, { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    // dependency-cruiser cannot use TypeScript 7; without a parser it would cruise nothing and call that clean.
    parser: 'swc',
  },
}
