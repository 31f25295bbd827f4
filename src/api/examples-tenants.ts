// Tenants, their keys, numbers and people, in examples.
const tenantId = '01a1e2b0-0957-701b-bfd6-5e8f68cd8386'
const at = '2026-11-16T12:00:00.000Z'

const account = {
  id: 'acc_01a1e2b00957701d8c5df2e3a4b5c607',
  waba_id: '215589313241560',
  phone_number_id: '441785372350001',
  display_phone_number: '+1 555-0100',
  app_id: '990000000000001',
  auth_status: 'ok',
  auth_last_error: null,
  responder: 'off',
  auto_reply_text: null,
  templates_auth_status: 'ok',
  templates_auth_last_error: null,
  token_expires_at: null,
  token_expires_soon: false,
  token_checked_at: at,
  throughput_level: 'standard',
  hold: null,
  replies_only_until: null,
  standing: { quality: { at, event: 'GREEN' } },
  created_at: at,
}

const person = {
  id: 'usr_01a1e2b00957701e9e7f04152637a8b9',
  tenant_id: tenantId,
  email: 'ana@bakery.example',
  name: 'Ana Example',
  role: 'agent',
  status: 'active',
  created_at: at,
}

const link = {
  purpose: 'invitation',
  url: 'https://gateway.example/console/link#3hX2fVq0a9uJ1y7Zk4bT6wQm8eRn5cLs0dPgHiKjUvY',
  expires_at: '2026-11-23T12:00:00.000Z',
}

const doctorReport = {
  account_id: account.id,
  phone_number_id: account.phone_number_id,
  status: 'failed',
  checked_at: at,
  checks: [
    {
      name: 'subscription',
      status: 'failed',
      finding: 'not_subscribed',
      facts: {},
      message: 'Meta does not deliver this account’s messages to us.',
      fix: 'Subscribe the app to the account.',
      repairable: true,
    },
  ],
}

export const tenantExamples = {
  Tenant: {
    id: tenantId,
    name: 'Corner Bakery',
    slug: 'corner-bakery',
    status: 'active',
    max_concurrency: null,
    max_queued: null,
    retry_policy: null,
    stop_words: null,
    created_at: at,
  },
  NewTenant: { name: 'Corner Bakery', slug: 'corner-bakery' },
  TenantChange: { status: 'suspended', reason: 'the invoice is open' },
  NewApiKey: { name: 'shop' },
  ApiKey: {
    id: 'key_01a1e2b00957701c9a3be0c1d2e3f405',
    name: 'shop',
    key_start: 'est_7Qm4',
    created_at: at,
    revoked_at: null,
    last_used_at: null,
  },
  ShownApiKey: {
    id: 'key_01a1e2b00957701c9a3be0c1d2e3f405',
    name: 'shop',
    key: 'est_7Qm4-an-example-that-opens-nothing',
  },
  NewAccount: {
    waba_id: account.waba_id,
    phone_number_id: account.phone_number_id,
    display_phone_number: account.display_phone_number,
    access_token: 'EAAG-an-example-that-opens-nothing',
  },
  Account: account,
  AccountInList: {
    ...account,
    waiting_count: 0,
    last_inbound_at: at,
    circuit: null,
    throttled_until: null,
  },
  AccountChange: { responder: 'auto_reply', auto_reply_text: 'We are back at eight.' },
  AccountReference: { account_id: account.id },
  OwnNumber: {
    phone_number_id: account.phone_number_id,
    display_phone_number: account.display_phone_number,
    auth_status: 'ok',
  },
  AccountEvent: {
    id: 'aev_01a1e2b0095770271e38e7f90a1b2c3d',
    field: 'phone_number_quality_update',
    event: 'FLAGGED',
    waba_id: account.waba_id,
    phone_number_id: account.phone_number_id,
    content: { event: 'FLAGGED', current_limit: 'TIER_1K' },
    occurred_at: at,
    created_at: at,
  },
  SignupSettings: { missing: [] },
  SignupStart: {
    url: 'https://gateway.example/connect/whatsapp?state=example',
    id: '5d41402abc4b2a76b9719d911017c592',
    state: 'example',
    expires_at: '2026-11-16T12:10:00.000Z',
  },
  DoctorReport: doctorReport,
  RepairReport: {
    actions: [
      {
        name: 'subscribe',
        status: 'done',
        problem: null,
        said: null,
        message: 'The app is subscribed to the account.',
      },
    ],
    doctor: { ...doctorReport, status: 'ok', checks: [] },
  },
  NumberPin: { pin: '123456' },
  Person: person,
  ListedPerson: { ...person, last_seen_at: null },
  Colleague: { id: person.id, name: person.name, role: person.role },
  NewPerson: { email: person.email, name: person.name, role: 'agent', tenant_id: tenantId },
  NewColleague: { email: person.email, name: person.name, role: 'agent' },
  PersonChange: { role: 'admin' },
  PersonLink: link,
  InvitedPerson: { person: { ...person, status: 'invited' }, link },
  SignedOut: { sessions: 2 },
  SignIn: { email: person.email, password: 'a long password of hers' },
  LinkToken: { token: '3hX2fVq0a9uJ1y7Zk4bT6wQm8eRn5cLs0dPgHiKjUvY' },
  LinkOwner: { name: person.name, email: person.email, purpose: 'invitation' },
  AcceptLink: {
    token: '3hX2fVq0a9uJ1y7Zk4bT6wQm8eRn5cLs0dPgHiKjUvY',
    password: 'a long password of hers',
  },
  PasswordChange: {
    current_password: 'a long password of hers',
    password: 'another long password of hers',
  },
  SignedIn: {
    person,
    tenant: { id: tenantId, name: 'Corner Bakery' },
    csrf_token: 'example',
    expires_at: '2026-11-17T00:00:00.000Z',
  },
}
