// @ts-check
// Where the customer writes: text, a reply, an edit, an attachment.
import { upload } from './api.js'
import { askContact, askLocation } from './dialogs.js'
import { byId, h, icon } from './dom.js'
import { openMenu } from './menu.js'

/** @typedef {import('./types.js').Message} Message */

const form = byId('composer', HTMLFormElement)

/** What is typed in each chat, so that changing chats loses nothing. @type {Map<string, string>} */
const drafts = new Map()

/** @type {{ chatId: string, number: string, replyTo?: Message, editing?: Message }} */
let current = { chatId: '', number: '' }

/** @type {(message: object) => Promise<boolean>} */
let write = async () => false
/** @type {(words: string) => void} */
let complain = () => {}

const aim = h('div', { class: 'aim', hidden: true })
const text = h('textarea', {
  id: 'write',
  rows: 1,
  placeholder: 'Write a message',
  'aria-label': 'Message',
  maxlength: 4096,
})
const attach = h(
  'button',
  { type: 'button', class: 'iconbtn', 'aria-label': 'Attach', 'aria-haspopup': 'menu' },
  icon('attach'),
)
const send = h(
  'button',
  { type: 'submit', class: 'iconbtn primary', 'aria-label': 'Send' },
  icon('send'),
)
const file = h('input', { type: 'file', hidden: true, 'aria-hidden': 'true', tabindex: -1 })
form.append(aim, h('div', { class: 'box' }, attach, text, send), file)

/**
 * @param {(message: object) => Promise<boolean>} writeMessage true when it was taken
 * @param {(words: string) => void} showTrouble
 */
export function startComposer(writeMessage, showTrouble) {
  write = writeMessage
  complain = showTrouble
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void sendText()
  })
  text.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault()
      void sendText()
    } else if (event.key === 'Escape' && (current.replyTo || current.editing)) aimAt({})
  })
  text.addEventListener('input', () => {
    drafts.set(current.chatId, text.value)
    grow()
  })
  attach.addEventListener('click', () => openMenu(attach, attachments()))
  file.addEventListener('change', () => void sendFile())
}

/**
 * @param {string} chatId empty when no chat is open
 * @param {string} number
 */
export function composeIn(chatId, number) {
  form.hidden = chatId === ''
  if (chatId === current.chatId) return
  current = { chatId, number }
  text.value = drafts.get(chatId) ?? ''
  aimAt({})
  grow()
}

/** @param {{ replyTo?: Message, editing?: Message }} at */
export function aimAt({ replyTo, editing }) {
  if (current.editing && !editing) text.value = drafts.get(current.chatId) ?? ''
  const { chatId, number } = current
  current = { chatId, number, ...(replyTo ? { replyTo } : {}), ...(editing ? { editing } : {}) }
  aim.hidden = !replyTo && !editing
  aim.replaceChildren()
  if (!replyTo && !editing) return
  if (editing) text.value = editing.content?.body ?? ''
  const words = editing
    ? 'Editing your message'
    : `Replying to ${replyTo?.from === 'business' ? 'the business' : 'your own message'}`
  aim.append(
    icon('reply'),
    h('span', { class: 'cut' }, words),
    h(
      'button',
      {
        type: 'button',
        class: 'iconbtn',
        'aria-label': editing ? 'Stop editing' : 'Do not reply',
        onclick: () => aimAt({}),
      },
      icon('close'),
    ),
  )
  grow()
  text.focus()
}

async function sendText() {
  const body = text.value.trim()
  if (body === '') return
  const { editing, chatId } = current
  const message = editing
    ? {
        type: 'edit',
        edit: { original_message_id: editing.wamid, message: { type: 'text', text: { body } } },
      }
    : { type: 'text', text: { body }, ...inReply() }
  if (!(await write(message))) return
  if (!editing) drafts.delete(chatId)
  if (current.chatId !== chatId) return
  aimAt({})
  text.value = editing ? (drafts.get(chatId) ?? '') : ''
  grow()
}

function inReply() {
  return current.replyTo ? { context: { id: current.replyTo.wamid } } : {}
}

function attachments() {
  return [
    { label: 'Photo or video', act: () => choose('image/*,video/*') },
    { label: 'Audio', act: () => choose('audio/*') },
    { label: 'Document', act: () => choose('') },
    { label: 'Location', act: () => shareLocation() },
    {
      label: 'Contact',
      act: () =>
        askContact((contact) =>
          writeOrThrow({ type: 'contacts', contacts: [contact], ...inReply() }),
        ),
    },
  ]
}

/** @param {string} [replyTo] */
export function shareLocation(replyTo) {
  askLocation((location) =>
    writeOrThrow({
      type: 'location',
      location,
      ...(replyTo ? { context: { id: replyTo } } : inReply()),
    }),
  )
}

/** @param {object} message */
async function writeOrThrow(message) {
  if (await write(message)) aimAt({})
}

/** @param {string} accept */
function choose(accept) {
  file.accept = accept
  file.value = ''
  file.click()
}

async function sendFile() {
  const chosen = file.files?.[0]
  if (chosen === undefined) return
  const caption = text.value.trim()
  const kind = file.accept === '' ? 'document' : kindOf(chosen.type)
  const { number } = current
  try {
    const { id, mime_type, sha256 } = await upload(number, chosen)
    const media = {
      id,
      mime_type,
      sha256,
      ...(caption !== '' && kind !== 'audio' ? { caption } : {}),
      ...(kind === 'document' ? { filename: chosen.name } : {}),
      ...(kind === 'audio' ? { voice: false } : {}),
    }
    if (await write({ type: kind, [kind]: media, ...inReply() })) {
      text.value = ''
      drafts.delete(current.chatId)
      aimAt({})
    }
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
  }
}

/** @param {string} mimeType */
function kindOf(mimeType) {
  const [family = ''] = mimeType.split('/')
  return ['image', 'video', 'audio'].includes(family) ? family : 'document'
}

/** As tall as its text, up to a few lines. */
function grow() {
  text.style.height = 'auto'
  text.style.height = `${Math.min(text.scrollHeight, 120)}px`
}
