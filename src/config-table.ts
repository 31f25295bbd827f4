// Every setting of Estafet, as data: config.ts reads the environment by it and prints docs/configuration.md from it.
// Defaults are written as the text a person would set, so that they take the same path and print the same way.

import type { ValueOf } from './config-kinds.ts'
import {
  type Backend,
  baseUrl,
  choice,
  choices,
  cloudName,
  collectorHeaders,
  decimal,
  flag,
  headerValues,
  hostAndPort,
  integer,
  list,
  queueNames,
  type Setting,
  setting,
  text,
  url,
} from './config-setting.ts'
import { usualStopWords } from './config-stop-words.ts'

const withS3: Backend = { key: 'mediaStore', value: 's3' }
const withCloudTasks: Backend = { key: 'dispatch', value: 'cloud-tasks' }

export const settings = {
  env: setting('ESTAFET_ENV', choice('development', 'staging', 'production'), {
    default: 'production',
    developmentDefault: 'development',
    defaultDoc: '`production` under `start`, `development` under `dev`',
    doc: 'Which rules apply: `development`, `staging` or `production`. See what the last two refuse below.',
  }),
  host: setting('HOST', text(/^[A-Za-z0-9.:_-]+$/, 'a host name or an IP address'), {
    default: '0.0.0.0',
    developmentDefault: '127.0.0.1',
    doc: 'The address it listens on.',
  }),
  port: setting('PORT', integer(0, 65_535), {
    default: '8080',
    doc: 'The port it listens on; `0` picks a free one and prints it.',
  }),
  roles: setting('ROLES', choices('api', 'worker', 'console'), {
    default: 'api,worker,console',
    doc: 'Comma list of what this process does: `api` (webhooks, HTTP API, internal endpoints), `worker` (claims and processes), `console` (the web page).',
  }),
  databaseUrl: setting('DATABASE_URL', url('postgres', 'postgresql'), {
    secret: true,
    defaultDoc: 'embedded Postgres',
    doc: 'Postgres 15 or newer. Unset: an embedded Postgres under `DATA_DIR`.',
  }),
  dataDir: setting('DATA_DIR', text(), {
    default: '.estafet',
    doc: 'Folder of the embedded database, development secrets and local media.',
  }),
  metaGraphUrl: setting('META_GRAPH_URL', baseUrl, {
    default: 'https://graph.facebook.com',
    doc: 'Origin of the Graph API.',
  }),
  metaGraphVersion: setting('META_GRAPH_VERSION', text(/^v\d{1,3}\.\d{1,2}$/, 'e.g. v26.0'), {
    default: 'v26.0',
    doc: 'Graph API version, the first part of every path.',
  }),
  metaAppId: setting('META_APP_ID', text(), { doc: 'Id of the Meta app.' }),
  metaAppSecrets: setting('META_APP_SECRET', headerValues, {
    secret: true,
    minLength: 16,
    required: 'deployed',
    obtain: 'copy it from the Meta app dashboard (App settings, Basic)',
    doc: "Comma list of that one app's secrets: any of them verifies a webhook's signature (rotation), the first signs.",
  }),
  metaConfigId: setting('META_CONFIG_ID', text(), {
    doc: 'Facebook Login for Business configuration used by Embedded Signup.',
  }),
  metaSignupUrl: setting('META_SIGNUP_URL', baseUrl, {
    defaultDoc: "Meta's own addresses; the origin of `META_GRAPH_URL` where that is not Meta's",
    doc: 'Where the sign-up page loads the SDK from and opens the dialog: for a simulated Meta.',
  }),
  publicUrl: setting('PUBLIC_URL', baseUrl, {
    defaultDoc: 'the address of the request',
    doc: 'Where browsers and Meta reach this gateway. Set it behind a proxy: links to the sign-up page begin with it, and Meta sends browsers back to it.',
  }),
  tokenCheckMinutes: setting('TOKEN_CHECK_MINUTES', integer(1, 10_080), {
    default: '360',
    doc: 'How often Meta is asked whether an access token is still good.',
  }),
  tokenWarningDays: setting('TOKEN_WARNING_DAYS', integer(1, 60), {
    default: '7',
    doc: 'How many days before its end an access token is warned about.',
  }),
  metaVerifyToken: setting('META_VERIFY_TOKEN', text(), {
    secret: true,
    minLength: 8,
    required: 'deployed',
    obtain: 'make one with `openssl rand -hex 16` and enter the same in the Meta app',
    doc: 'The word Meta repeats in the webhook handshake.',
  }),
  operatorKeys: setting(
    'ADMIN_API_KEY',
    { kind: 'operator-keys' },
    {
      secret: true,
      minLength: 16,
      required: 'deployed',
      obtain: 'set name:key with a key from `openssl rand -hex 32`',
      doc: 'Operator keys: `name:key[,name:key…]`, or a bare key (its name is `operator`). The name is the "who" in the audit.',
    },
  ),
  encryptionKeys: setting(
    'ENCRYPTION_KEYS',
    { kind: 'key-ring' },
    {
      secret: true,
      required: 'deployed',
      obtain: 'set id:key with a key from `openssl rand -base64 32`',
      doc: 'Key ring `id:base64(32 bytes)[,…]`: the first encrypts, all decrypt.',
    },
  ),
  maxConcurrencyPerTenant: setting('MAX_CONCURRENCY_PER_TENANT', integer(1, 1000), {
    default: '2',
    doc: 'Sends in flight per tenant; a tenant can have its own value.',
  }),
  maxQueuedPerTenant: setting('MAX_QUEUED_PER_TENANT', integer(1, 1_000_000), {
    default: '100000',
    doc: 'Messages of a tenant that may wait to be sent, those for later included; more are refused with 429 `BACKLOG_FULL`. A tenant can have its own value.',
  }),
  retryPolicy: setting('RETRY_POLICY', choice('standard', 'patient'), {
    default: 'standard',
    doc: '`standard`: min(300, 5·2^attempts) s where `attempts` counts the failed ones, dead after 8 attempts. `patient`: 1 m, 5 m, 15 m, 1 h, 1 h, dead after 5 retries. Both add 0–1000 ms at random. A tenant can have its own.',
  }),
  reconcileSeconds: setting('RECONCILE_SECONDS', integer(0, 86_400), {
    default: '30',
    doc: 'Least wait before a send with an unknown result is tried again; with `at_most_once`, also one that Meta answered with trouble of its own.',
  }),
  stopWords: setting(
    'STOP_WORDS',
    list(/^[^,]{1,100}$/, 'words or phrases of at most 100 letters'),
    {
      default: usualStopWords,
      defaultDoc: 'words in four languages',
      doc: `Comma list. A message that is nothing but one of these, whatever its case, accents and punctuation, ends all messages to its sender until they write again. \`off\`: none. A tenant can have its own. Unless set: \`${usualStopWords}\`.`,
    },
  ),
  circuitFailureRatio: setting('CIRCUIT_FAILURE_RATIO', decimal(0.01, 1), {
    default: '0.5',
    doc: 'Share of failed calls that opens the circuit breaker.',
  }),
  circuitWindowSeconds: setting('CIRCUIT_WINDOW_SECONDS', integer(1, 3600), {
    default: '60',
    doc: 'The time over which the breaker counts calls.',
  }),
  circuitMinCalls: setting('CIRCUIT_MIN_CALLS', integer(1, 100_000), {
    default: '10',
    doc: 'With fewer calls in the window the breaker stays closed.',
  }),
  circuitHalfOpenSeconds: setting('CIRCUIT_HALF_OPEN_SECONDS', integer(1, 86_400), {
    default: '300',
    doc: 'How long an open breaker waits before it lets a trial call through.',
  }),
  sendTimeoutMs: setting('SEND_TIMEOUT_MS', integer(1, 600_000), {
    default: '15000',
    doc: 'Time limit of one call to Meta. Shorter than `RECONCILE_SECONDS`: a worker that lost its database may end a call so long after others have begun to wait for what became of it.',
  }),
  dedupeTtlDays: setting('DEDUPE_TTL_DAYS', integer(1, 365), {
    default: '7',
    doc: 'How long dedupe keys live.',
  }),
  traceTtlDays: setting('TRACE_TTL_DAYS', integer(1, 365), {
    default: '7',
    doc: 'How long inbound traces live.',
  }),
  payloadRetentionDays: setting('PAYLOAD_RETENTION_DAYS', integer(1, 3650), {
    default: '30',
    doc: "How long processed webhooks' payloads are kept. Afterwards they cannot be replayed; one with an open dead letter is kept until that is decided.",
  }),
  mediaStore: setting('MEDIA_STORE', choice('disk', 's3'), {
    default: 'disk',
    doc: 'Where files lie: in `DATA_DIR/media` of this machine, or in a bucket of anything that speaks S3. Several machines need the same folder mounted, or `s3`.',
  }),
  mediaRetentionDays: setting('MEDIA_RETENTION_DAYS', integer(1, 36_500), {
    default: '365',
    doc: 'How long files are kept, counted from when they were stored or last sent. Their messages stay.',
  }),
  s3Endpoint: setting('S3_ENDPOINT', baseUrl, {
    required: withS3,
    doc: 'Where the bucket is, e.g. `https://s3.eu-central-1.amazonaws.com`. Buckets are addressed by path.',
  }),
  s3Bucket: setting('S3_BUCKET', text(/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,254}$/, "the bucket's name"), {
    required: withS3,
    doc: 'The bucket that holds the files. It must not be public.',
  }),
  s3Region: setting('S3_REGION', text(/^[a-z0-9-]{1,64}$/, 'e.g. eu-central-1'), {
    default: 'us-east-1',
    doc: 'Region that requests are signed for; stores without regions take any.',
  }),
  s3AccessKeyId: setting('S3_ACCESS_KEY_ID', text(/^[\x21-\x7e]+$/, 'printable characters'), {
    required: withS3,
    doc: 'Id of the key that may get, put and delete objects of the bucket.',
  }),
  s3SecretAccessKey: setting(
    'S3_SECRET_ACCESS_KEY',
    text(/^[\x21-\x7e]+$/, 'printable characters'),
    { secret: true, required: withS3, doc: 'The secret of that key.' },
  ),
  dispatch: setting('DISPATCH', choice('postgres', 'cloud-tasks'), {
    default: 'postgres',
    doc: 'Who says when to look at a row: workers polling Postgres, or Google Cloud Tasks calling the internal endpoints.',
  }),
  gcpProject: setting('GCP_PROJECT', cloudName, {
    required: withCloudTasks,
    doc: 'Google Cloud project of the task queues.',
  }),
  gcpLocation: setting('GCP_LOCATION', cloudName, {
    required: withCloudTasks,
    doc: 'Region of the task queues.',
  }),
  inboundTaskQueues: setting('INBOUND_TASK_QUEUE_NAME', queueNames, {
    required: withCloudTasks,
    doc: "Comma list of queues for inbound tasks. A tenant's tasks always go to the same one, so that one tenant's back-off does not slow all.",
  }),
  outboundTaskQueues: setting('OUTBOUND_TASK_QUEUE_NAME', queueNames, {
    required: withCloudTasks,
    doc: 'Comma list of queues for outbound tasks, chosen in the same way.',
  }),
  internalTaskBaseUrl: setting('INTERNAL_TASK_BASE_URL', baseUrl, {
    required: withCloudTasks,
    doc: 'Where Cloud Tasks reaches the internal endpoints.',
  }),
  internalTaskTokens: setting('INTERNAL_TASK_TOKEN', headerValues, {
    secret: true,
    minLength: 16,
    required: withCloudTasks,
    obtain: 'make one with `openssl rand -hex 32`',
    doc: 'Comma list of tokens the internal endpoints accept (rotation); the first is sent.',
  }),
  cloudTasksEndpoint: setting('CLOUD_TASKS_ENDPOINT', hostAndPort, {
    doc: 'Points the Cloud Tasks client at an emulator: `host:port`, plaintext.',
  }),
  taskServiceAccount: setting(
    'CLOUD_TASKS_SERVICE_ACCOUNT',
    text(/^[a-z0-9-]+@[a-z0-9.-]+$/, "the account's e-mail address"),
    {
      doc: 'Google signs an identity token of this account into every task, and the internal endpoints demand one beside `INTERNAL_TASK_TOKEN`. Unset: the token alone lets in. Leave it unset on a Cloud Run service that checks callers itself: it hands tokens on without their signature.',
    },
  ),
  taskAudience: setting('CLOUD_TASKS_AUDIENCE', text(/^[\x21-\x7e]+$/, 'an address'), {
    defaultDoc: '`INTERNAL_TASK_BASE_URL`',
    doc: 'The audience of those identity tokens.',
  }),
  taskPatienceSeconds: setting('TASK_PATIENCE_SECONDS', integer(5, 3600), {
    default: '60',
    doc: 'A task that has not come this long after its time counts as lost: the sweep makes another.',
  }),
  dedupeStore: setting('DEDUPE_STORE', choice('postgres', 'redis', 'firestore'), {
    default: 'postgres',
    doc: 'Where repeats are looked for first: `postgres`, or `redis` or `firestore` in front of it. While that store does not answer, webhooks are refused and sends wait. See docs/dedupe.md.',
  }),
  dedupeTimeoutMs: setting('DEDUPE_TIMEOUT_MS', integer(50, 2_500), {
    default: '1000',
    doc: 'Time limit of one question to a dedupe store outside Postgres; Meta waits about 5 seconds for the whole answer.',
  }),
  redisUrl: setting('REDIS_URL', url('redis', 'rediss'), {
    secret: true,
    required: { key: 'dedupeStore', value: 'redis' },
    doc: 'The Redis that holds dedupe keys: `redis://[user:password@]host[:port][/database]`, or `rediss://` over TLS. Any node of a cluster stands for the cluster.',
  }),
  firestoreProject: setting('FIRESTORE_PROJECT', cloudName, {
    required: { key: 'dedupeStore', value: 'firestore' },
    doc: 'Google Cloud project of the Firestore that holds dedupe keys.',
  }),
  firestoreEmulatorHost: setting('FIRESTORE_EMULATOR_HOST', hostAndPort, {
    doc: 'Points the Firestore client at an emulator: `host:port`.',
  }),
  dlqAlertThreshold: setting('DLQ_ALERT_THRESHOLD', integer(0, 1_000_000), {
    default: '10',
    doc: "Alert when a tenant's open dead letters exceed it.",
  }),
  backlogAlertSeconds: setting('BACKLOG_ALERT_SECONDS', integer(10, 86_400), {
    default: '300',
    doc: 'Alert when a webhook or a message that could go on at once has waited longer.',
  }),
  backlogWaitingAlertSeconds: setting('BACKLOG_WAITING_ALERT_SECONDS', integer(60, 2_592_000), {
    default: '3600',
    doc: 'Alert a tenant when a message of its own has been held up longer: throttled, between retries, behind an open circuit or parked.',
  }),
  alertRepeatMinutes: setting('ALERT_REPEAT_MINUTES', integer(0, 10_080), {
    default: '240',
    doc: 'An alert that is still firing is told again after so long; `0` never.',
  }),
  metricsTenants: setting('METRICS_TENANTS', integer(0, 1_000), {
    default: '0',
    doc: 'How many tenants have metrics of their own: those with the most waiting, all others as `other`. `0`: tenants do not show.',
  }),
  slackWebhookUrl: setting('SLACK_WEBHOOK_URL', url('http', 'https'), {
    secret: true,
    doc: "The operator's default Slack channel for alerts.",
  }),
  pagerdutyRoutingKey: setting('PAGERDUTY_ROUTING_KEY', text(), {
    secret: true,
    doc: "The operator's default PagerDuty service for alerts.",
  }),
  pagerdutyEventsUrl: setting('PAGERDUTY_EVENTS_URL', url('http', 'https'), {
    default: 'https://events.pagerduty.com/v2/enqueue',
    doc: 'Where PagerDuty takes events.',
  }),
  allowPrivateTargets: setting('ALLOW_PRIVATE_TARGETS', flag, {
    default: 'off',
    developmentDefault: 'on',
    doc: 'Whether alert, event and responder targets may be loopback or private addresses.',
  }),
  eventRetentionDays: setting('EVENT_RETENTION_DAYS', integer(2, 90), {
    default: '7',
    doc: 'How long events and their deliveries are kept: as far back a stream resumes and a replay reaches. What a paused endpoint has not taken by then is given up.',
  }),
  eventTimeoutMs: setting('EVENT_TIMEOUT_MS', integer(100, 120_000), {
    default: '15000',
    doc: 'Time limit of one call to an event endpoint.',
  }),
  eventConcurrencyPerEndpoint: setting('EVENT_CONCURRENCY_PER_ENDPOINT', integer(1, 100), {
    default: '5',
    doc: 'Calls to one event endpoint at the same time; 1 while it fails.',
  }),
  eventDisableDays: setting('EVENT_DISABLE_DAYS', integer(1, 90), {
    default: '5',
    doc: 'An event endpoint that took nothing for so many days is disabled, with an alert.',
  }),
  eventStreamsPerTenant: setting('EVENT_STREAMS_PER_TENANT', integer(1, 1000), {
    default: '100',
    doc: 'Open event streams of one tenant in one process; each page of the console has one.',
  }),
  allowEmbedded: setting('ALLOW_EMBEDDED', flag, {
    default: 'off',
    doc: 'Accept the embedded Postgres in staging and production.',
  }),
  allowUnsafeDb: setting('ALLOW_UNSAFE_DB', flag, {
    default: 'off',
    doc: 'Be ready even on a database with `fsync`, `full_page_writes` or `synchronous_commit` off, which loses acknowledged webhooks in a crash.',
  }),
  apiRateLimitPerSecond: setting('API_RATE_LIMIT_PER_SECOND', integer(1, 1_000_000), {
    default: '1000',
    doc: 'Requests per second for each API key; bursts may reach twice that.',
  }),
  sessionIdleMinutes: setting('SESSION_IDLE_MINUTES', integer(1, 1440), {
    default: '30',
    doc: 'After so long without a call, somebody who signed in to the console has to sign in again.',
  }),
  sessionHours: setting('SESSION_HOURS', integer(1, 720), {
    default: '12',
    doc: 'After so long, whatever they did, somebody who signed in to the console has to sign in again.',
  }),
  simulatorPort: setting('SIMULATOR_PORT', integer(0, 65_535), {
    default: '8081',
    doc: 'Port of the Meta simulator; only `dev` uses it.',
  }),
  otlpEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', baseUrl, {
    defaultDoc: 'no traces',
    doc: 'OpenTelemetry collector that takes OTLP over HTTP as JSON: `/v1/traces` is appended. See docs/tracing.md.',
  }),
  otlpHeaders: setting('OTEL_EXPORTER_OTLP_HEADERS', collectorHeaders, {
    secret: true,
    doc: 'Comma list of headers for the collector, `name=value` with percent-encoded values: its token, mostly.',
  }),
  otelServiceName: setting('OTEL_SERVICE_NAME', text(), {
    default: 'estafet',
    doc: 'What this gateway is called in traces.',
  }),
  traceRatio: setting('OTEL_TRACES_SAMPLER_ARG', decimal(0, 1), {
    default: '1',
    doc: 'Share of the traces that is exported: whole ones, and the same ones by every process.',
  }),
  logLevel: setting(
    'LOG_LEVEL',
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    { default: 'info', doc: 'The least severe lines that are written.' },
  ),
} satisfies Record<string, Setting>

type Table = typeof settings
type HasValue<S extends Setting> = S extends { default: string }
  ? true
  : ValueOf<S['type']> extends readonly unknown[]
    ? true
    : false

/** One value a setting. Without a default, a list is empty and anything else is left out. */
export type SettingValues = {
  [K in keyof Table as HasValue<Table[K]> extends true ? K : never]: ValueOf<Table[K]['type']>
} & {
  [K in keyof Table as HasValue<Table[K]> extends true ? never : K]?: ValueOf<Table[K]['type']>
}
