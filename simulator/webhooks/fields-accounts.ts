// Webhook fields about an account, its numbers and its templates.
import { digitsOf } from '../identifiers.ts'
import { type EventBuilder, type EventContext, timed } from './event-context.ts'

const day = 86_400

function template({ input }: EventContext) {
  return {
    message_template_id: input.template?.id ?? 1689556908129832,
    message_template_name: input.template?.name ?? 'order_update',
    message_template_language: input.template?.language ?? 'en_US',
  }
}

const displayNumber = (context: EventContext) => ({
  display_phone_number: digitsOf(context.number().display_phone_number),
})

/** What an account update says besides its event. */
const accountDetails: Record<string, (context: EventContext) => object> = {
  ACCOUNT_DELETED: () => ({}),
  ACCOUNT_VIOLATION: () => ({ violation_info: { violation_type: 'SCAM' } }),
  ACCOUNT_RESTRICTION: ({ nowSeconds }) => ({
    restriction_info: [
      {
        restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING',
        expiration: nowSeconds + 7 * day,
      },
    ],
  }),
  DISABLED_UPDATE: () => ({
    ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'September 30, 2026' },
  }),
  PARTNER_ADDED: wabaInfo,
  PARTNER_REMOVED: wabaInfo,
  PARTNER_APP_INSTALLED: partnerApp,
  PARTNER_APP_UNINSTALLED: partnerApp,
  AD_ACCOUNT_LINKED: (context) => ({
    ...wabaInfo(context),
    ad_account_info: { ad_account_linked: '120210000000001' },
  }),
  MM_LITE_TERMS_SIGNED: wabaInfo,
  AUTH_INTL_PRICE_ELIGIBILITY_UPDATE: ({ nowSeconds }) => ({
    auth_international_rate_eligibility: { start_time: nowSeconds + 30 * day },
  }),
  BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE: () => ({ country: 'PT' }),
  VOLUME_BASED_PRICING_TIER_UPDATE: () => ({
    volume_tier_info: { tier: '0:100000', pricing_category: 'UTILITY', region: 'Portugal' },
  }),
  PARTNER_CLIENT_CERTIFICATION_STATUS_UPDATE: () => ({
    partner_client_certification_info: { status: 'APPROVED' },
  }),
  ACCOUNT_OFFBOARDED: () => ({}),
  ACCOUNT_RECONNECTED: () => ({}),
}

export const accountEvents: readonly string[] = Object.keys(accountDetails)

function wabaInfo({ wabaId, businessId }: EventContext) {
  return { waba_info: { waba_id: wabaId, owner_business_id: businessId } }
}

function partnerApp(context: EventContext) {
  return { waba_info: { ...wabaInfo(context).waba_info, partner_app_id: context.ownAppId } }
}

/** Sent in the name of the portfolio, not of the account. */
const ofPortfolio = new Set([
  'PARTNER_ADDED',
  'PARTNER_REMOVED',
  'PARTNER_APP_INSTALLED',
  'PARTNER_APP_UNINSTALLED',
  'AD_ACCOUNT_LINKED',
  'MM_LITE_TERMS_SIGNED',
])

const accountUpdate: EventBuilder = (context) => {
  const event = context.input.event ?? 'ACCOUNT_VIOLATION'
  const value = { event, ...accountDetails[event]?.(context) }
  return ofPortfolio.has(event) ? { value, timed: true, entryId: context.businessId } : timed(value)
}

const reasons: Record<string, string | null> = {
  REJECTED: 'INVALID_FORMAT',
  PENDING_DELETION: null,
}

const templateStatus: EventBuilder = (context) => {
  const { event = 'APPROVED', template: given } = context.input
  const { nowSeconds } = context
  return timed({
    event,
    ...template(context),
    reason: reasons[event] === undefined ? 'NONE' : reasons[event],
    message_template_category: given?.category ?? 'UTILITY',
    ...(event === 'DISABLED' ? { disable_info: { disable_date: String(nowSeconds) } } : {}),
    ...(event === 'REJECTED'
      ? {
          rejection_info: {
            reason: 'The content of the template was not accepted.',
            recommendation: 'Change the content and submit it again.',
          },
        }
      : {}),
    ...(event === 'PAUSED'
      ? { other_info: { title: 'FIRST_PAUSE', description: 'Paused for 3 hours.' } }
      : {}),
  })
}

const category: EventBuilder = (context) =>
  timed({
    ...template(context),
    ...(context.input.event === 'impending'
      ? {
          new_category: 'UTILITY',
          correct_category: 'MARKETING',
          category_update_timestamp: context.nowSeconds + day,
        }
      : { previous_category: 'UTILITY', new_category: 'MARKETING' }),
  })

const flowDetails: Record<string, object> = {
  FLOW_STATUS_CHANGE: { old_status: 'DRAFT', new_status: 'PUBLISHED' },
  CLIENT_ERROR_RATE: { error_rate: 12.5, threshold: 10, alert_state: 'ACTIVATED' },
  ENDPOINT_ERROR_RATE: { error_rate: 12.5, threshold: 10, alert_state: 'ACTIVATED' },
  ENDPOINT_LATENCY: { p90_latency: 8000, threshold: 7000, alert_state: 'ACTIVATED' },
  ENDPOINT_AVAILABILITY: { availability: 75, threshold: 90, alert_state: 'ACTIVATED' },
  FLOW_VERSION_EXPIRY_WARNING: { warning: 'The version of this flow expires soon.' },
}

const flows: EventBuilder = ({ input }) => {
  const event = input.event ?? 'FLOW_STATUS_CHANGE'
  const flow_id = '881223344556677'
  return timed({ event, message: `${event} of flow ${flow_id}`, flow_id, ...flowDetails[event] })
}

const username: EventBuilder = (context) =>
  timed({
    ...displayNumber(context),
    username: 'setefolhas',
    status: context.input.event ?? 'approved',
  })

/** The others are of an older kind, which says what the limit was before. */
const currentQualityEvents = new Set(['ONBOARDING', 'THROUGHPUT_UPGRADE'])

export const accountFields: Record<string, EventBuilder> = {
  account_alerts: ({ businessId }) =>
    timed({
      entity_type: 'BUSINESS',
      entity_id: businessId,
      alert_info: {
        alert_severity: 'WARNING',
        alert_status: 'ACTIVE',
        alert_type: 'INCREASED_CAPABILITIES_ELIGIBILITY_DEFERRED',
        alert_description: 'Limits cannot be increased for this business.',
      },
    }),
  account_review_update: ({ input }) => timed({ decision: input.event ?? 'APPROVED' }),
  account_update: accountUpdate,
  account_settings_update: (context) => ({
    value: {
      messaging_product: 'whatsapp',
      timestamp: String(context.nowSeconds),
      type: 'phone_number_settings',
      phone_number_settings: {
        phone_number_id: context.number().phone_number_id,
        calling: { status: 'ENABLED', call_icon_visibility: 'DEFAULT' },
      },
    },
    timed: false,
  }),
  business_capability_update: () =>
    timed({ max_daily_conversations_per_business: 2000, max_phone_numbers_per_waba: 25 }),
  business_username_update: username,
  business_username_updates: username,
  flows,
  message_template_status_update: templateStatus,
  message_template_quality_update: (context) =>
    timed({
      previous_quality_score: 'GREEN',
      new_quality_score: context.input.event ?? 'YELLOW',
      ...template(context),
    }),
  message_template_components_update: (context) =>
    timed({
      ...template(context),
      message_template_title: 'Your order',
      message_template_element: 'Hi {{1}}, order {{2}} has shipped.',
      message_template_footer: 'Sete Folhas',
    }),
  template_category_update: category,
  phone_number_name_update: (context) =>
    timed({
      ...displayNumber(context),
      decision: context.input.event ?? 'APPROVED',
      requested_verified_name: 'Sete Folhas',
      rejection_reason: context.input.event === 'REJECTED' ? 'NAME_FORMAT_UNACCEPTABLE' : null,
    }),
  phone_number_quality_update: (context) => {
    const event = context.input.event ?? 'THROUGHPUT_UPGRADE'
    return timed({
      ...displayNumber(context),
      event,
      ...(currentQualityEvents.has(event)
        ? {
            current_limit: 'TIER_UNLIMITED',
            max_daily_conversations_per_business: 'TIER_UNLIMITED',
          }
        : { old_limit: 'TIER_10K', current_limit: 'TIER_2K' }),
    })
  },
  security: (context) =>
    timed({
      ...displayNumber(context),
      event: context.input.event ?? 'PIN_RESET_REQUEST',
      requester: '61555822100001',
    }),
  partner_solutions: ({ input, businessId }) => ({
    value: {
      event: input.event ?? 'SOLUTION_UPDATED',
      solution_id: '774485461510001',
      solution_status: 'ACTIVE',
    },
    timed: true,
    entryId: businessId,
  }),
  payment_configuration_update: ({ nowSeconds }) =>
    timed({
      configuration_name: 'shop-payments',
      provider_name: 'razorpay',
      provider_mid: 'acc_GP4lfNA0iIMn5C',
      status: 'Needs Testing',
      created_timestamp: nowSeconds,
      updated_timestamp: nowSeconds,
    }),
}
