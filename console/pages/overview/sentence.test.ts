import { describe, expect, test } from 'vitest'
import { createFormat } from '../../words/format.ts'
import { tell } from './sentence.ts'
import { sentenceWords } from './sentence-words.ts'
import type { Health, Trouble } from './types.ts'

const calm: Health = {
  status: 'ok',
  reasons: [],
  troubles: [],
  webhook_events_pending_count: 0,
  outbox_pending_count: 0,
  outbox_failed_count: 0,
  dlq_count: 0,
  oldest_pending_seconds: null,
  oldest_dead_letter_seconds: null,
  events_by_state: {},
  sends_by_state: {},
  send_success_rate_last_1h: null,
  sends_accepted_last_1h: 0,
  sends_decided_last_1h: 0,
  webhook_ack_p95_ms: null,
  inbound_processing_p95_ms: null,
  send_p95_ms: null,
  oldest_webhook_seconds: 0,
  dead_letters_by_kind: {},
  counted_at: '2026-11-16T10:00:00Z',
  circuits_open: [],
  accounts_needing_reauth: [],
  numbers_count: 2,
  has_received: true,
}
const trouble = (code: Trouble['code'], count = 1, seconds: number | null = null) => ({
  code,
  count,
  seconds,
})
const names: Record<string, string> = { i: 'Bufete Ibarra Solís', a: 'Almeida Prado' }
const told = (health: Partial<Health>, language: 'en' | 'es' | 'pt' | 'id' = 'en') =>
  tell(
    { ...calm, ...health },
    {
      words: sentenceWords[language],
      format: createFormat(language),
      nameOf: (id) => (health.tenants ? names[id] : undefined),
    },
  )
const tenant = (tenant_id: string, sends_by_state: Health['sends_by_state']) => ({
  ...calm,
  tenant_id,
  sends_by_state,
})
const some = (count: number) => ({ count, oldest_seconds: 60 })

describe('the sentence', () => {
  test('of a gateway at rest is short', () => {
    expect(told({})).toEqual({ tone: 'ok', title: 'All working.', text: 'Nothing waits.' })
    expect(told({ oldest_pending_seconds: 2 }).text).toBe('Nothing has waited longer than 2 s.')
  })

  const broken: Partial<Health> = {
    status: 'degraded',
    troubles: [trouble('numbers_failing'), trouble('reauth_needed')],
    accounts_needing_reauth: [
      { account_id: 'acc', tenant_id: 'a', phone_number_id: '1', display_phone_number: '+1' },
    ],
    tenants: [
      tenant('i', { circuit_open: some(214), runnable: some(1) }),
      tenant('a', { parked: some(22) }),
    ],
    oldest_pending_seconds: 1,
  }

  test('tells some numbers from all of them', () => {
    const troubles = [trouble('numbers_failing', 2)]
    expect(told({ troubles, numbers_count: 3 }).title).toContain('2 numbers are paused')
    expect(told({ troubles, numbers_count: 2 }).title).toContain('Meta fails for every number')
  })

  test('names what is wrong, whose messages wait, and what makes them go', () => {
    expect(told(broken)).toEqual({
      tone: 'warn',
      title: 'Mostly working. One number is paused, one account must be reconnected.',
      text: '214 messages of Bufete Ibarra Solís go out by themselves once Meta answers. 22 messages of Almeida Prado wait for Reconnect. Nothing else has waited longer than 1 s.',
    })
  })

  test.each([
    ['es', 'Casi todo funciona. Un número está en pausa, una cuenta debe volver a conectarse.'],
    ['pt', 'Quase tudo funciona. Um número está em pausa, uma conta precisa ser reconectada.'],
    ['id', 'Sebagian besar berjalan. Satu nomor dijeda, satu akun harus dihubungkan lagi.'],
  ] as const)('is said in %s', (language, title) => {
    const { title: said, text } = told(broken, language)
    expect(said).toBe(title)
    expect(text).toContain('214')
    expect(text).toContain('Almeida Prado')
  })

  test('counts tenants where there are many, and knows one message from several', () => {
    const tenants = [tenant('i', { retry_wait: some(1) }), tenant('a', { retry_wait: some(4) })]
    expect(told({ tenants }).text).toContain('5 messages of 2 tenants are tried again')
    expect(told({ tenants: tenants.slice(0, 1) }).text).toContain(
      '1 message of Bufete Ibarra Solís is tried again by itself.',
    )
  })

  test('tells a tenant of itself without a name', () => {
    const own: Partial<Health> = {
      ...broken,
      tenants: undefined,
      sends_by_state: { parked: some(3) },
    }
    expect(told(own).text).toContain('3 messages wait for Reconnect.')
  })

  test('does not say that nothing waits while somebody has to decide', () => {
    expect(told({ dlq_count: 1 }).text).toBe(
      '1 dead letter waits for a decision. Nothing else waits.',
    )
    expect(told({ dlq_count: 3 }, 'es').text).toBe(
      '3 fallidos esperan una decisión. Nada más espera.',
    )
  })

  test('says what was parked for another reason than a lost access', () => {
    expect(told({ sends_by_state: { parked: some(3) } }).text).toContain('are parked')
  })

  test.each([
    ['blocked', 'a store that the gateway needs'],
    ['webhook_waits', 'has waited for 2 min'],
    ['webhook_retried', 'retried for 2 min'],
    ['send_waits', 'waited for 2 min'],
    ['meta_unreachable', 'Meta cannot be reached'],
    ['numbers_failing', 'Meta fails for every number'],
    ['reauth_needed', '3 accounts must be reconnected'],
    ['dead_letters', 'pile up'],
    ['not_counted', 'not being counted'],
  ] as const)('knows %s', (code, words) => {
    const { title, tone } = told({ status: 'down', troubles: [trouble(code, 3, 120)] })
    expect(title.toLowerCase()).toContain(words.toLowerCase())
    expect(title).toMatch(/^Not working\. [A-Z0-9].*\.$/)
    expect(tone).toBe('bad')
  })
})
