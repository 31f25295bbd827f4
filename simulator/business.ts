// The business side of the pretended Meta: apps, tokens, accounts, numbers, templates, media, and
// what Meta knows of the people they write to. A reset puts a fresh one in its place.
import { type Apps, createApps } from './apps.ts'
import type { Background } from './background.ts'
import { type BusinessAccounts, createBusinessAccounts } from './business-accounts.ts'
import { type Fields, isFields } from './graph/fields.ts'
import { createManagementUsage, type ManagementUsage } from './management-usage.ts'
import { createMedia, type Media } from './media.ts'
import { sampleBytes } from './media-samples.ts'
import { bareMimeType, isMediaKind } from './media-types.ts'
import { createMessageAges, type MessageAges } from './message-ages.ts'
import type { BusinessNumber, Numbers } from './numbers.ts'
import { createRecipients, type Recipients } from './recipients.ts'
import { createServiceWindows, type ServiceWindows } from './service-windows.ts'
import { sampleTemplates } from './template-samples.ts'
import {
  createTemplates,
  type ReviewSettings,
  type Template,
  type TemplateNews,
  type Templates,
} from './templates.ts'
import type { Clock, Random } from './time-and-chance.ts'
import { createTokens, type Tokens } from './tokens.ts'
import type { Announcement, CallbackSubject } from './traffic.ts'
import { createUploads, type Uploads } from './uploads.ts'

export interface BusinessOptions {
  clock: Clock
  random: Random
  background: Background
  numbers: Numbers
  appId: string
  appSecret: () => string
  review: ReviewSettings
  /** `open`: no send fails for want of a customer's message. */
  serviceWindow: ServiceWindowMode
  announce(announcement: Announcement): void
}

export type ServiceWindowMode = 'enforced' | 'open'

export interface Business {
  apps: Apps
  tokens: Tokens
  accounts: BusinessAccounts
  numbers: Numbers
  templates: Templates
  media: Media
  uploads: Uploads
  windows: ServiceWindows
  ages: MessageAges
  recipients: Recipients
  usage: ManagementUsage
  settings: { service_window: ServiceWindowMode }
  announce(announcement: Announcement): void
  /** A number as a person or test registers it: its account exists and hears, its token works. */
  registerNumber(number: BusinessNumber): void
  /** Finds or makes an account; a new one has the sample templates. */
  ensureAccount(wabaId: string, businessId?: string, withSamples?: boolean): void
  /**
   * Where the own app's webhooks about an account go: undefined when the app is not subscribed to
   * it, otherwise the override that applies, or null for the app's own URL.
   */
  callbackFor(about: CallbackSubject): string | null | undefined
  /** What a customer sent, completed by what Meta says of files; other content is left alone. */
  receiveContent(phoneNumberId: string, type: string, content: unknown): unknown
}

export function createBusiness(options: BusinessOptions): Business {
  const { clock, random, announce } = options
  const apps = createApps(
    { app_id: options.appId, name: 'Simulated App', requires_proof: false },
    options.appSecret,
  )
  const tokens = createTokens({ clock, random, ownAppId: () => apps.own().app_id })
  const accounts = createBusinessAccounts(random)
  const { numbers } = options
  const media = createMedia(clock, random)
  const templates = createTemplates({
    ...options,
    announce: (template, news) => announce(templateAnnouncement(template, news)),
  })

  function ensureAccount(wabaId: string, businessId?: string, withSamples = true): void {
    const { isNew } = accounts.ensure(wabaId, businessId)
    if (!isNew || !withSamples) return
    for (const sample of sampleTemplates(wabaId, clock.now())) templates.add(sample)
  }

  return {
    apps,
    tokens,
    accounts,
    numbers,
    templates,
    media,
    uploads: createUploads(random),
    windows: createServiceWindows(clock),
    ages: createMessageAges(clock),
    recipients: createRecipients(),
    usage: createManagementUsage(clock),
    settings: { service_window: options.serviceWindow },
    announce,
    registerNumber(number) {
      const before = numbers.find(number.phone_number_id)
      numbers.register(number)
      ensureAccount(number.waba_id)
      const { access_token: token } = number
      if (token !== undefined) {
        tokens.grantByNumber(token, number.waba_id)
        // Otherwise nothing would arrive, and the reason would be hard to see.
        const subscriptions = accounts.find(number.waba_id)?.subscriptions
        const own = apps.own().app_id
        if (!subscriptions?.has(own)) subscriptions?.set(own, null)
      }
      const old = before?.access_token
      const isStillUsed = numbers.all().some((each) => each.access_token === old)
      if (old !== undefined && !isStillUsed) tokens.dropOfNumber(old)
    },
    ensureAccount,
    callbackFor: ({ field, wabaId, phoneNumberId }) => {
      const account = wabaId === null ? undefined : accounts.find(wabaId)
      // What is about no account we know, such as a portfolio, always reaches the app.
      if (account === undefined) return null
      const override = account.subscriptions.get(apps.own().app_id)
      if (override === undefined) return undefined
      // Overrides are for messages alone; the number's goes before the account's.
      if (field !== 'messages') return null
      const ofNumber =
        phoneNumberId !== null && numbers.find(phoneNumberId) !== undefined
          ? numbers.profile(phoneNumberId).override
          : null
      return (ofNumber ?? override)?.override_callback_uri ?? null
    },
    receiveContent: (phoneNumberId, type, content) =>
      isMediaKind(type) && isFields(content) ? receiveFile(media, phoneNumberId, content) : content,
  }
}

/** Files that nobody stored get sample bytes, so that every id in a webhook can be fetched. */
function receiveFile(media: Media, phone_number_id: string, content: Fields): Fields {
  const { id, mime_type } = content
  if (typeof id !== 'string' || typeof mime_type !== 'string') return content
  const bytes = sampleBytes(bareMimeType(mime_type))
  const file = media.find(id) ?? media.receive({ id, phone_number_id, mime_type, bytes })
  const sha256 = Buffer.from(file.sha256, 'hex').toString('base64')
  return { ...content, mime_type: file.mime_type, sha256 }
}

function templateAnnouncement(template: Template, news: TemplateNews): Announcement {
  return {
    field: 'message_template_status_update',
    wabaId: template.waba_id,
    value: {
      event: news.event,
      // A JSON number in webhooks, although it is a string everywhere else.
      message_template_id: Number(template.id),
      message_template_name: template.name,
      message_template_language: template.language,
      reason: news.reason,
      message_template_category: template.category,
      ...news.more,
    },
  }
}
