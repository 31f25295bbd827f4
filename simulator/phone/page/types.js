// @ts-check
// The shapes the page reads from the simulator, for the type checker only.

/** @typedef {{ type: string, text: string, payload?: string, url?: string, phone_number?: string }} TemplateButton */

/**
 * @typedef {object} Rendered
 * @property {{ format: string, text?: string, media?: any }} [header]
 * @property {string} body
 * @property {string} [footer]
 * @property {TemplateButton[]} buttons
 */

/** @typedef {'pending' | 'accepted' | 'sent' | 'delivered' | 'read' | 'played' | 'failed'} TickState */

/**
 * @typedef {object} Message
 * @property {string} wamid
 * @property {'business' | 'customer'} from
 * @property {string} at
 * @property {string} type
 * @property {any} content
 * @property {TickState} state
 * @property {{ code: number, title: string, details?: string }} [error]
 * @property {Rendered} [rendered]
 * @property {any} [context]
 * @property {{ from: 'business' | 'customer', text: string }} [quoted]
 * @property {{ business?: string, customer?: string }} reactions
 * @property {boolean} edited
 * @property {boolean} deleted
 */

/**
 * @typedef {object} Summary
 * @property {string} phone_number_id
 * @property {{ from: 'business' | 'customer', at: string, text: string, state: TickState } | null} last
 * @property {number} unread
 */

/**
 * @typedef {object} Customer
 * @property {string} key
 * @property {string} [wa_id]
 * @property {string} [user_id]
 * @property {string} name
 * @property {string} [username]
 * @property {boolean} online
 * @property {boolean} read_receipts
 * @property {string[]} blocked
 * @property {Summary[]} chats
 */

/** @typedef {Summary & { customer: Customer, messages: Message[], forgotten: number, typing_until: string | null }} Chat */

/** @typedef {{ phone_number_id: string, display_phone_number: string, verified_name?: string }} BusinessNumber */

/** @typedef {{ cursor: string, numbers: BusinessNumber[], customers: Customer[] }} State */

/**
 * What a bubble can ask for.
 * @typedef {object} Actions
 * @property {(message: object) => void} write
 * @property {(action: any, pick: (row: any) => void) => void} pickFromList
 * @property {(replyTo?: string) => void} shareLocation
 * @property {(message: Message, button: HTMLElement) => void} openMenu
 */

export {}
