// /{waba-id}/message_templates: create, list, delete. One template by its id is in nodes.ts.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BusinessAccount } from '../business-accounts.ts'
import {
  type Category,
  categories,
  checkComponents,
  normalizeComponents,
  refused,
  type TemplateComponent,
} from '../template-components.ts'
import type { Template } from '../templates.ts'
import type { Access } from './access.ts'
import { GraphError, invalidRequest, parameterRequired } from './errors.ts'
import { type Fields, isFields, selectFields, textIn } from './fields.ts'
import type { Graph } from './graph.ts'
import { manageAccount } from './management.ts'
import { pageOf } from './paging.ts'
import { paramsOf } from './request-body.ts'
import { versioned } from './versions.ts'

interface AccountRoute {
  Params: { version: string; wabaId: string }
}

const path = `${versioned}/:wabaId/message_templates`
const maxCreationsPerHour = 100
const maxTemplates = 250
const maxTemplatesVerified = 6000

export function mountMessageTemplates(app: FastifyInstance, graph: Graph): void {
  app.post<AccountRoute>(path, async (request, reply) => {
    const { account } = manageAccount(graph, request, reply, request.params.wabaId)
    const template = create(graph.access(), account, paramsOf(request))
    return { id: template.id, status: template.status, category: template.category }
  })

  app.get<AccountRoute>(path, async (request, reply) => {
    const { account } = manageAccount(graph, request, reply, request.params.wabaId)
    return list(graph.access(), account, request)
  })

  app.delete<AccountRoute>(path, async (request, reply) => {
    const { account } = manageAccount(graph, request, reply, request.params.wabaId)
    remove(graph.access(), account, paramsOf(request))
    return { success: true }
  })
}

function create({ business, clock }: Access, account: BusinessAccount, params: Fields): Template {
  const { templates } = business
  const { waba_id } = account
  const name = checkName(params)
  const language = textIn(params, 'language')
  if (language === undefined) throw parameterRequired('language')
  if (!/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/.test(language)) {
    throw invalidRequest(`Param language is not a supported language: ${language}`)
  }
  const category = categoryIn(params)
  if (category === undefined) throw parameterRequired('category')
  const shape = { category, parameter_format: formatIn(params) }
  const components = readComponents(business, params.components, shape)
  checkRoom(business, account)
  if (templates.blockedUntil(waba_id, name, language) !== undefined) {
    throw refused(
      2388023,
      "Content in This Language Can't Be Added While the Existing Content Is Being Deleted",
      `New ${language} content can’t be added while the existing ${language} content is being ` +
        'deleted. Try again in 4 weeks or consider creating a new message template.',
    )
  }
  if (templates.findByName(waba_id, name, language) !== undefined) {
    throw refused(
      2388024,
      'Content in This Language Already Exists',
      `There is already ${language} content for this template. You can create a new template and ` +
        'try again.',
    )
  }
  const template = templates.add({
    waba_id,
    name,
    language,
    ...shape,
    components,
    status: 'PENDING',
    rejected_reason: 'NONE',
    quality_score: 'UNKNOWN',
    created_at: clock.now(),
    approved_at: null,
    edits_at: [],
    pacing: null,
    refuses_with: null,
    ...lifetimeIn(params, category),
  })
  templates.submit(template)
  return template
}

function checkName(params: Fields): string {
  const name = textIn(params, 'name')
  if (name === undefined) throw parameterRequired('name')
  if (!/^[a-z0-9_]{1,512}$/.test(name)) {
    throw invalidRequest(
      'Param name must have at most 512 lower-case letters, digits and underscores.',
    )
  }
  return name
}

export function categoryIn(params: Fields): Category | undefined {
  const text = textIn(params, 'category')
  if (text === undefined) return undefined
  const category = categories.find((each) => each === text.toUpperCase())
  if (category === undefined) {
    throw invalidRequest(`Param category must be one of {${categories.join(', ')}}`)
  }
  return category
}

function formatIn(params: Fields): 'POSITIONAL' | 'NAMED' {
  const format = textIn(params, 'parameter_format')?.toUpperCase() ?? 'POSITIONAL'
  if (format !== 'POSITIONAL' && format !== 'NAMED') {
    throw invalidRequest('Param parameter_format must be one of {POSITIONAL, NAMED}')
  }
  return format
}

const lifetimes: Record<Category, readonly [number, number]> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
}

export function lifetimeIn(params: Fields, category: Category) {
  const text = textIn(params, 'message_send_ttl_seconds')
  if (text === undefined) return {}
  const seconds = Number(text)
  const [min, max] = lifetimes[category]
  // -1 stands for 30 days, except for marketing.
  const isForLong = seconds === -1 && category !== 'MARKETING'
  if (!isForLong && !(Number.isInteger(seconds) && seconds >= min && seconds <= max)) {
    throw invalidRequest(`Param message_send_ttl_seconds must be from ${min} to ${max}.`)
  }
  return { message_send_ttl_seconds: seconds }
}

export function readComponents(
  business: Access['business'],
  input: unknown,
  shape: Pick<Template, 'category' | 'parameter_format'>,
): TemplateComponent[] {
  if (input === undefined) throw parameterRequired('components')
  const components = normalizeComponents(input)
  checkComponents(components, shape)
  const handles = components.find(({ type }) => type === 'HEADER')?.example
  const handle =
    isFields(handles) && Array.isArray(handles.header_handle) && handles.header_handle[0]
  if (typeof handle === 'string' && !business.uploads.isHandle(handle)) {
    throw refused(2388047, 'Sample unknown', 'example.header_handle is not a handle of an upload.')
  }
  return shape.category === 'AUTHENTICATION' ? components.map(asStored) : components
}

/** Meta writes the texts of authentication templates and turns their button into a link. */
function asStored(component: TemplateComponent): TemplateComponent {
  if (component.type === 'BODY') {
    return {
      ...component,
      text: '*{{1}}* is your verification code.',
      example: { body_text: [['123456']] },
    }
  }
  if (component.type === 'FOOTER' && component.code_expiration_minutes !== undefined) {
    return { ...component, text: `Expires in ${component.code_expiration_minutes} minutes.` }
  }
  const [button] = component.buttons ?? []
  if (button === undefined) return component
  const otpType = String(button.otp_type ?? 'COPY_CODE').toUpperCase()
  const url = `https://www.whatsapp.com/otp/code/?otp_type=${otpType}&code=otp`
  return {
    ...component,
    buttons: [
      {
        ...button,
        type: 'URL',
        otp_type: otpType,
        text: button.text ?? 'Copy code',
        url: `${url}{{1}}`,
        example: [`${url}123456`],
      },
    ],
  }
}

function checkRoom({ templates }: Access['business'], account: BusinessAccount): void {
  const isVerified = account.business_verification_status === 'verified'
  const max = isVerified ? maxTemplatesVerified : maxTemplates
  if (templates.of(account.waba_id).length >= max) {
    throw refused(
      2388019,
      'Template Limit Exceeded',
      `This account has the ${max} message templates it can have.`,
    )
  }
  if (templates.createdLately(account.waba_id) >= maxCreationsPerHour) {
    throw new GraphError({
      status: 400,
      code: 80008,
      message:
        '(#80008) There have been too many calls to this WhatsApp Business account. Wait a bit ' +
        'and try again.',
    })
  }
}

const defaultFields = [
  'name',
  'parameter_format',
  'components',
  'language',
  'status',
  'category',
  'id',
]

export function describeTemplate(template: Template, asked: unknown): Fields {
  const { id, name, language, category, parameter_format, components, status } = template
  const all: Fields = {
    name,
    parameter_format,
    components,
    language,
    status,
    category,
    id,
    rejected_reason: template.rejected_reason,
    quality_score: { score: template.quality_score },
    message_send_ttl_seconds: template.message_send_ttl_seconds,
    previous_category: undefined,
  }
  return selectFields('WhatsAppMessageTemplate', all, defaultFields, asked)
}

function list({ business }: Access, { waba_id }: BusinessAccount, request: FastifyRequest) {
  const params = paramsOf(request)
  const wanted = business.templates.of(waba_id).filter((template) => matches(template, params))
  const url = `${request.protocol}://${request.host}${request.url.split('?', 1)[0]}`
  const page = pageOf(wanted, params, url)
  return {
    ...page,
    data: page.data.map((template) => describeTemplate(template, params.fields)),
  }
}

/** `name` finds parts of names, the other filters whole values; `status` also takes a list. */
function matches(template: Template, params: Fields): boolean {
  const name = textIn(params, 'name') ?? textIn(params, 'name_or_content')
  if (name !== undefined && !template.name.includes(name)) return false
  return (['status', 'language', 'category', 'quality_score'] as const).every((key) => {
    const wanted = listIn(params, key)
    return wanted === undefined || wanted.includes(template[key].toLowerCase())
  })
}

function listIn(params: Fields, key: string): string[] | undefined {
  const value = params[key]
  if (value === undefined || value === '') return undefined
  const texts = Array.isArray(value) ? value.map(String) : String(value).split(',')
  return texts.map((text) => text.replace(/["[\]\s]/g, '').toLowerCase())
}

function remove({ business }: Access, { waba_id }: BusinessAccount, params: Fields): void {
  const name = textIn(params, 'name')
  if (name === undefined) throw parameterRequired('name')
  const id = textIn(params, 'hsm_id')
  const doomed = business.templates
    .of(waba_id)
    .filter((template) => template.name === name && (id === undefined || template.id === id))
  if (doomed.length === 0) {
    throw new GraphError({
      status: 400,
      code: 100,
      subcode: 2593002,
      message: 'Invalid parameter',
      isTransient: false,
      userTitle: 'Message Template Not Found',
      userMessage: `No message template with the name ${name} was found.`,
    })
  }
  if (doomed.some(({ status }) => status === 'DISABLED')) {
    throw refused(2388039, 'Template Can’t Be Deleted', 'A disabled template can’t be deleted.')
  }
  business.templates.delete(doomed)
}
