// What people and tests can do to the business side; /simulator offers the same over HTTP.
import { z } from 'zod'
import { type MetaApp, type MetaAppInput, metaAppSchema } from './apps.ts'
import type { Business, ServiceWindowMode } from './business.ts'
import {
  type AccountChange,
  type AccountInput,
  accountChangeSchema,
  accountInputSchema,
  type BusinessAccount,
} from './business-accounts.ts'
import { isBusinessScopedUserId } from './identifiers.ts'
import { announceNumberChange } from './number-news.ts'
import { type NumberChange, type NumberProfile, numberChangeSchema } from './numbers.ts'
import { type RecipientChange, type RecipientProfile, recipientChangeSchema } from './recipients.ts'
import { parseInput, RequestError } from './request-error.ts'
import { categories, normalizeComponents } from './template-components.ts'
import { approvedDefaults } from './template-samples.ts'
import { type ReviewSettings, type Template, templateStatuses } from './templates.ts'
import type { Clock } from './time-and-chance.ts'
import {
  type CodeInput,
  codeInputSchema,
  type Token,
  type TokenChange,
  type TokenInput,
  tokenChangeSchema,
  tokenInputSchema,
} from './tokens.ts'

const templateKnobs = {
  status: z.enum(templateStatuses).optional(),
  quality_score: z.enum(['GREEN', 'YELLOW', 'RED', 'UNKNOWN']).optional(),
  category: z.enum(categories).optional(),
  /** Sends are held for quality assessment and then released, or dropped with 132015. */
  pacing: z.enum(['release', 'drop']).nullable().optional(),
  /** Every send of it is refused with this code. */
  refuses_with: z
    .union([z.literal(132007), z.literal(132068), z.literal(132069)])
    .nullable()
    .optional(),
}

const templateSeedSchema = z.object({
  ...templateKnobs,
  waba_id: z.string(),
  name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'must be lower-case letters, digits, underscores'),
  language: z.string().min(2).default('en_US'),
  parameter_format: z.enum(['POSITIONAL', 'NAMED']).default('POSITIONAL'),
  components: z
    .array(
      z.looseObject({
        type: z.string(),
        format: z.string().optional(),
        text: z.string().optional(),
        buttons: z.array(z.looseObject({ type: z.string() })).optional(),
      }),
    )
    .min(1),
})

const templateChangeSchema = z.object({ ...templateKnobs, reason: z.string().optional() })

const settingsSchema = z.object({
  service_window: z.enum(['enforced', 'open']).optional(),
  template_review: z
    .object({
      mode: z.enum(['automatic', 'manual']).optional(),
      delay_ms: z.number().int().min(0).optional(),
    })
    .optional(),
})

const windowSchema = z.object({
  phone_number_id: z.string(),
  customer: z
    .string()
    .refine(
      (id) => /^\+?\d{5,20}$/.test(id) || isBusinessScopedUserId(id),
      'must be a phone number or a user id',
    ),
  open: z.boolean(),
})

const mediaSchema = z.object({
  phone_number_id: z.string(),
  mime_type: z.string().regex(/^[\w.+-]+\/[\w.+-]+(;[\x20-\x7e]*)?$/, 'must be a mime type'),
  base64: z.base64(),
  filename: z.string().max(240).optional(),
})

export type TemplateSeed = z.input<typeof templateSeedSchema>
export type TemplateChange = z.input<typeof templateChangeSchema>
export type GraphSettings = z.input<typeof settingsSchema>
export type WindowSetting = z.input<typeof windowSchema>
export type CustomerFile = z.input<typeof mediaSchema>

export interface ShownSettings {
  service_window: ServiceWindowMode
  template_review: ReviewSettings
}

export interface BusinessControls {
  registerApp(app: MetaAppInput): MetaApp
  apps(): MetaApp[]
  issueToken(token: TokenInput): Token
  changeToken(change: TokenChange): Token
  tokens(): Token[]
  /** A code of Embedded Signup: lives 30 seconds and works once. */
  issueCode(input: CodeInput): string
  registerAccount(account: AccountInput): BusinessAccount
  changeAccount(wabaId: string, change: AccountChange): BusinessAccount
  accounts(): BusinessAccount[]
  /** Tells of the change by webhook where Meta does. */
  changeNumber(phoneNumberId: string, change: NumberChange): NumberProfile
  numberProfile(phoneNumberId: string): NumberProfile
  seedTemplate(template: TemplateSeed): Template
  changeTemplate(id: string, change: TemplateChange): Template
  templates(wabaId?: string): Template[]
  changeRecipient(customer: string, change: RecipientChange): RecipientProfile
  recipient(customer: string): RecipientProfile
  setServiceWindow(setting: WindowSetting): { open_until: Date | null }
  /** A file for a customer to send: its id goes into the message. */
  addCustomerFile(file: CustomerFile): { id: string; mime_type: string; sha256: string }
  setGraphSettings(settings: GraphSettings): ShownSettings
  graphSettings(): ShownSettings
}

export function businessControls(business: () => Business, clock: Clock): BusinessControls {
  const shown = () => {
    const { settings, templates } = business()
    return { ...settings, template_review: { ...templates.review } }
  }
  return {
    ...identityControls(business),
    ...accountControls(business),
    ...templateControls(business, clock),
    changeRecipient: (customer, change) =>
      business().recipients.change(customer, parseInput(recipientChangeSchema, change)),
    recipient: (customer) => business().recipients.profile(customer),
    setServiceWindow(input) {
      const { phone_number_id, customer, open } = parseInput(windowSchema, input)
      requireNumber(business(), phone_number_id)
      const { windows } = business()
      if (open) windows.open(phone_number_id, customer)
      else windows.close(phone_number_id, customer)
      return { open_until: windows.openUntil(phone_number_id, customer) ?? null }
    },
    addCustomerFile(input) {
      const { base64, phone_number_id, mime_type, filename } = parseInput(mediaSchema, input)
      requireNumber(business(), phone_number_id)
      const stored = business().media.receive({
        phone_number_id,
        mime_type,
        bytes: Buffer.from(base64, 'base64'),
        ...(filename === undefined ? {} : { filename }),
      })
      return { id: stored.id, mime_type: stored.mime_type, sha256: stored.sha256 }
    },
    setGraphSettings(input) {
      const { service_window, template_review } = parseInput(settingsSchema, input)
      const { settings, templates } = business()
      settings.service_window = service_window ?? settings.service_window
      templates.review.mode = template_review?.mode ?? templates.review.mode
      templates.review.delay_ms = template_review?.delay_ms ?? templates.review.delay_ms
      return shown()
    },
    graphSettings: shown,
  }
}

function identityControls(business: () => Business) {
  return {
    registerApp(input: MetaAppInput) {
      const app = parseInput(metaAppSchema, input)
      business().apps.register(app)
      return app
    },
    apps: () => business().apps.all(),
    issueToken(input: TokenInput) {
      const given = parseInput(tokenInputSchema, input)
      requireApp(business(), given.app_id)
      return business().tokens.issue(given)
    },
    changeToken(input: TokenChange) {
      const change = parseInput(tokenChangeSchema, input)
      const token = business().tokens.find(change.access_token)
      if (token === undefined) throw notFound('TOKEN', 'access_token: no such token')
      business().tokens.change(token, change)
      return token
    },
    tokens: () => business().tokens.all(),
    issueCode(input: CodeInput) {
      const given = parseInput(codeInputSchema, input)
      requireApp(business(), given.app_id)
      return business().tokens.issueCode(given)
    },
  }
}

function accountControls(business: () => Business) {
  return {
    registerAccount(input: AccountInput) {
      const { waba_id, business_id, sample_templates, ...change } = parseInput(
        accountInputSchema,
        input,
      )
      business().ensureAccount(waba_id, business_id, sample_templates)
      return Object.assign(requireAccount(business(), waba_id), defined(change))
    },
    changeAccount(wabaId: string, input: AccountChange) {
      const account = requireAccount(business(), wabaId)
      return Object.assign(account, defined(parseInput(accountChangeSchema, input)))
    },
    accounts: () => business().accounts.all(),
    changeNumber(phoneNumberId: string, input: NumberChange) {
      const number = requireNumber(business(), phoneNumberId)
      const change = parseInput(numberChangeSchema, input)
      const profile = business().numbers.profile(phoneNumberId)
      const before = { ...profile }
      Object.assign(profile, defined(change))
      announceNumberChange(business(), number, before, profile)
      return profile
    },
    numberProfile(phoneNumberId: string) {
      requireNumber(business(), phoneNumberId)
      return business().numbers.profile(phoneNumberId)
    },
  }
}

function templateControls(business: () => Business, clock: Clock) {
  return {
    seedTemplate(input: TemplateSeed) {
      const { components, ...seed } = parseInput(templateSeedSchema, input)
      const { waba_id, name, language } = seed
      const { templates } = business()
      requireAccount(business(), waba_id)
      if (templates.findByName(waba_id, name, language) !== undefined) {
        throw new RequestError(409, 'TEMPLATE_EXISTS', `name: ${name} exists in ${language}`)
      }
      const { status = 'APPROVED', category = 'UTILITY', quality_score = 'UNKNOWN' } = seed
      return templates.add({
        ...approvedDefaults(clock.now()),
        waba_id,
        name,
        language,
        parameter_format: seed.parameter_format,
        components: normalizeComponents(components),
        status,
        category,
        quality_score,
        pacing: seed.pacing ?? null,
        refuses_with: seed.refuses_with ?? null,
      })
    },
    changeTemplate(id: string, input: TemplateChange) {
      const template = business().templates.find(id)
      if (template === undefined) throw notFound('TEMPLATE', `id: ${id} is no template`)
      const { status, reason, ...rest } = parseInput(templateChangeSchema, input)
      Object.assign(template, defined(rest))
      if (status !== undefined) business().templates.decide(template, status, reason)
      return template
    },
    templates: (wabaId?: string) =>
      wabaId === undefined
        ? business()
            .accounts.all()
            .flatMap(({ waba_id }) => business().templates.of(waba_id))
        : business().templates.of(wabaId),
  }
}

function defined<T extends object>(change: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as Partial<T>
}

function requireApp(business: Business, appId: string | undefined): void {
  if (appId !== undefined && business.apps.find(appId) === undefined) {
    throw notFound('APP', `app_id: ${appId} is not registered; POST /simulator/apps first`)
  }
}

function requireAccount(business: Business, wabaId: string): BusinessAccount {
  const account = business.accounts.find(wabaId)
  if (account !== undefined) return account
  throw notFound('ACCOUNT', `waba_id: ${wabaId} is not known; POST /simulator/wabas first`)
}

function requireNumber(business: Business, phoneNumberId: string) {
  const number = business.numbers.find(phoneNumberId)
  if (number !== undefined) return number
  throw notFound(
    'NUMBER',
    `phone_number_id: ${phoneNumberId} is not registered; POST /simulator/numbers first`,
  )
}

const notFound = (what: string, message: string) =>
  new RequestError(404, `${what}_NOT_FOUND`, message)
