// The rules of interactive messages, kind by kind.
import { invalidParameter, missingParameter } from '../whatsapp-errors.ts'
import { checkArray, checkObject, checkText, checkUnique, checkUrl, refuseKeys } from './checks.ts'
import type { Fields } from './fields.ts'
import { checkMediaReference, type MediaLookup } from './media-reference.ts'

interface KindRules {
  /** How long the body may be; undefined: there may be none at all. */
  body: number | undefined
  header: readonly string[]
  action(action: Fields, lookup: MediaLookup): boolean
}

const path = 'interactive'
const anyHeader = ['text', 'image', 'video', 'document']

const kinds: Record<string, KindRules> = {
  button: { body: 1024, header: anyHeader, action: checkReplyButtons },
  list: { body: 4096, header: ['text'], action: checkList },
  cta_url: { body: 1024, header: anyHeader, action: checkLinkButton },
  location_request_message: {
    body: 1024,
    header: [],
    action: (action) => checkName(action, 'send_location'),
  },
  flow: { body: 1024, header: anyHeader, action: checkFlow },
  product: { body: undefined, header: [], action: checkProduct },
  product_list: { body: 1024, header: ['text'], action: checkProductList },
  catalog_message: {
    body: 1024,
    header: [],
    action: (action) => checkName(action, 'catalog_message'),
  },
  call_permission_request: {
    body: undefined,
    header: [],
    action: (action) => checkName(action, 'call_permission_request'),
  },
  address_message: { body: 1024, header: anyHeader, action: checkAddress },
  carousel: { body: 1024, header: [], action: checkCarousel },
}

/** Returns false when a file inside is of a kind that only fails later. */
export function checkInteractive(content: Fields, lookup: MediaLookup): boolean {
  const type = checkText(content, 'type', `${path}.type`)
  const rules = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (rules === undefined) {
    throw invalidParameter(`${path}.type must be one of ${Object.keys(kinds).join(', ')}.`)
  }
  const action = checkObject(content, 'action', `${path}.action`)
  if (rules.body !== undefined || content.body !== undefined) {
    const body = checkObject(content, 'body', `${path}.body`)
    checkText(body, 'text', `${path}.body.text`, { max: rules.body ?? 1024 })
  }
  if (content.footer !== undefined) {
    const footer = checkObject(content, 'footer', `${path}.footer`)
    checkText(footer, 'text', `${path}.footer.text`, { max: 60 })
  }
  const isHeaderUsable = checkHeader(content, type, rules.header, lookup)
  return rules.action(action, lookup) && isHeaderUsable
}

function checkHeader(
  content: Fields,
  type: string,
  allowed: readonly string[],
  lookup: MediaLookup,
): boolean {
  if (content.header === undefined) {
    if (type === 'product_list') throw missingParameter(`${path}.header`)
    return true
  }
  if (allowed.length === 0) refuseKeys(content, ['header'], path)
  const header = checkObject(content, 'header', `${path}.header`)
  return checkHeaderContent(header, `${path}.header`, allowed, lookup)
}

function checkHeaderContent(
  header: Fields,
  at: string,
  allowed: readonly string[],
  lookup: MediaLookup,
): boolean {
  const type = checkText(header, 'type', `${at}.type`)
  if (!allowed.includes(type)) {
    throw invalidParameter(`${at}.type must be one of ${allowed.join(', ')}.`)
  }
  if (type === 'text') {
    checkText(header, 'text', `${at}.text`, { max: 60 })
    return true
  }
  const kind = type as 'image' | 'video' | 'document'
  return checkMediaReference(
    checkObject(header, kind, `${at}.${kind}`),
    kind,
    `${at}.${kind}`,
    lookup,
  )
}

function checkReplyButtons(action: Fields): boolean {
  const at = `${path}.action.buttons`
  const buttons = checkArray(action, 'buttons', at, [1, 3])
  const replies = buttons.map((button, index) => {
    if (button.type !== 'reply') throw invalidParameter(`${at}[${index}].type must be "reply".`)
    const reply = checkObject(button, 'reply', `${at}[${index}].reply`)
    return {
      id: checkText(reply, 'id', `${at}[${index}].reply.id`, { max: 256 }),
      title: checkText(reply, 'title', `${at}[${index}].reply.title`, { max: 20 }),
    }
  })
  checkUnique(
    replies.map((reply) => reply.id),
    `${at} ids`,
  )
  checkUnique(
    replies.map((reply) => reply.title),
    `${at} titles`,
  )
  return true
}

function checkList(action: Fields): boolean {
  checkText(action, 'button', `${path}.action.button`, { max: 20 })
  const at = `${path}.action.sections`
  const sections = checkArray(action, 'sections', at, [1, 10])
  const ids = sections.flatMap((section, index) => {
    // One section needs no title; several have to be told apart.
    checkText(section, 'title', `${at}[${index}].title`, {
      max: 24,
      optional: sections.length === 1,
    })
    const rows = checkArray(section, 'rows', `${at}[${index}].rows`, [1, 10])
    return rows.map((row, number) => {
      const rowAt = `${at}[${index}].rows[${number}]`
      checkText(row, 'title', `${rowAt}.title`, { max: 24 })
      checkText(row, 'description', `${rowAt}.description`, { max: 72, optional: true })
      return checkText(row, 'id', `${rowAt}.id`, { max: 200 })
    })
  })
  if (ids.length > 10) throw invalidParameter(`${at} can have 10 rows in all.`)
  checkUnique(ids, `${at} row ids`)
  return true
}

function checkName(action: Fields, name: string): boolean {
  if (checkText(action, 'name', `${path}.action.name`) !== name) {
    throw invalidParameter(`${path}.action.name must be "${name}".`)
  }
  return true
}

function parametersOf(action: Fields): Fields {
  return checkObject(action, 'parameters', `${path}.action.parameters`)
}

function checkLinkButton(action: Fields): boolean {
  checkName(action, 'cta_url')
  const parameters = parametersOf(action)
  checkText(parameters, 'display_text', `${path}.action.parameters.display_text`, { max: 20 })
  checkUrl(parameters, 'url', `${path}.action.parameters.url`)
  return true
}

function checkFlow(action: Fields): boolean {
  checkName(action, 'flow')
  const parameters = parametersOf(action)
  const at = `${path}.action.parameters`
  checkText(parameters, 'flow_message_version', `${at}.flow_message_version`)
  checkText(parameters, 'flow_cta', `${at}.flow_cta`, { max: 30 })
  if (parameters.flow_id === undefined) checkText(parameters, 'flow_name', `${at}.flow_id`)
  return true
}

function checkProduct(action: Fields): boolean {
  checkText(action, 'catalog_id', `${path}.action.catalog_id`)
  checkText(action, 'product_retailer_id', `${path}.action.product_retailer_id`)
  return true
}

function checkProductList(action: Fields): boolean {
  checkText(action, 'catalog_id', `${path}.action.catalog_id`)
  const at = `${path}.action.sections`
  for (const [index, section] of checkArray(action, 'sections', at, [1, 10]).entries()) {
    checkText(section, 'title', `${at}[${index}].title`, { max: 24 })
    const items = checkArray(section, 'product_items', `${at}[${index}].product_items`, [1, 30])
    for (const [number, item] of items.entries()) {
      const itemAt = `${at}[${index}].product_items[${number}]`
      checkText(item, 'product_retailer_id', `${itemAt}.product_retailer_id`)
    }
  }
  return true
}

function checkAddress(action: Fields): boolean {
  checkName(action, 'address_message')
  checkText(parametersOf(action), 'country', `${path}.action.parameters.country`, { max: 2 })
  return true
}

function checkCarousel(action: Fields, lookup: MediaLookup): boolean {
  const at = `${path}.action.cards`
  const cards = checkArray(action, 'cards', at, [2, 10])
  const usable = cards.map((card, index) => {
    const cardAt = `${at}[${index}]`
    const header = checkObject(card, 'header', `${cardAt}.header`)
    if (card.body !== undefined) {
      const body = checkObject(card, 'body', `${cardAt}.body`)
      checkText(body, 'text', `${cardAt}.body.text`, { max: 160 })
    }
    checkObject(card, 'action', `${cardAt}.action`)
    return checkHeaderContent(header, `${cardAt}.header`, ['image', 'video'], lookup)
  })
  return usable.every(Boolean)
}
