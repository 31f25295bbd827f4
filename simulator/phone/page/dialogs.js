// @ts-check
// Questions that need an answer before something is sent.
import { h } from './dom.js'

/**
 * Opens a form in a dialog. `submit` may throw; its words then stand in the dialog, and what was
 * typed stays.
 * @param {string} title
 * @param {string} verb
 * @param {(Node | null)[]} fields
 * @param {(values: Record<string, string>) => unknown} submit
 */
export function ask(title, verb, fields, submit) {
  const trouble = h('p', { class: 'why', role: 'alert', hidden: true })
  const cancel = h('button', { type: 'button', class: 'btn' }, 'Cancel')
  const form = h(
    'form',
    { method: 'dialog' },
    h('h2', {}, title),
    fields,
    trouble,
    h(
      'p',
      { class: 'buttons' },
      cancel,
      h('button', { type: 'submit', class: 'btn primary' }, verb),
    ),
  )
  const dialog = h('dialog', { 'aria-label': title }, form)
  cancel.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const values = Object.fromEntries(
      [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]),
    )
    try {
      await submit(values)
      dialog.close()
    } catch (error) {
      trouble.textContent = error instanceof Error ? error.message : String(error)
      trouble.hidden = false
    }
  })
  document.body.append(dialog)
  dialog.showModal()
}

/**
 * @param {string} name
 * @param {string} label
 * @param {Record<string, unknown>} [attributes]
 * @param {string} [hint]
 */
export function field(name, label, attributes = {}, hint) {
  return h(
    'label',
    { class: 'field' },
    h('span', {}, label),
    h('input', { name, autocomplete: 'off', ...attributes }),
    hint === undefined ? null : h('small', { class: 'muted' }, hint),
  )
}

/**
 * The rows of a list message, to pick one.
 * @param {any} action
 * @param {(row: any) => void} pick
 */
export function pickFromList(action, pick) {
  let serial = 0
  const rows = new Map()
  const sections = (action?.sections ?? []).map((/** @type {any} */ section) =>
    h(
      'fieldset',
      {},
      section.title ? h('legend', {}, String(section.title)) : null,
      ...(section.rows ?? []).map((/** @type {any} */ row) => {
        const value = String(serial++)
        rows.set(value, row)
        return h(
          'label',
          { class: 'choice' },
          h('input', { type: 'radio', name: 'row', value, required: true }),
          h(
            'span',
            {},
            h('b', {}, String(row.title)),
            row.description ? h('small', { class: 'muted' }, String(row.description)) : null,
          ),
        )
      }),
    ),
  )
  ask(String(action?.button ?? 'Choose'), 'Send', sections, (values) => {
    const { id, title, description } = rows.get(values.row ?? '') ?? {}
    pick({ id, title, ...(description ? { description } : {}) })
  })
}

/** @param {(person: Record<string, string>) => Promise<void>} add */
export function askCustomer(add) {
  ask(
    'Add a customer',
    'Add',
    [
      field('name', 'Name', { maxlength: 100, placeholder: 'Nadia Ferrer' }),
      field('wa_id', 'Phone number', { inputmode: 'tel', placeholder: '+1 555 0142' }),
      field(
        'user_id',
        'User id',
        { placeholder: 'US.13491208655302' },
        'Instead of a number, for a person who shows none; or both.',
      ),
      field('username', 'Username', { maxlength: 60 }, 'Optional.'),
    ],
    (values) => add(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))),
  )
}

/** @param {(location: object) => unknown} send */
export function askLocation(send) {
  ask(
    'Send a location',
    'Send',
    [
      field('name', 'Name', { placeholder: 'The office' }),
      field('address', 'Address'),
      field('latitude', 'Latitude', {
        type: 'number',
        step: 'any',
        min: -90,
        max: 90,
        required: true,
        value: '-6.2',
      }),
      field('longitude', 'Longitude', {
        type: 'number',
        step: 'any',
        min: -180,
        max: 180,
        required: true,
        value: '106.8',
      }),
    ],
    ({ name, address, latitude, longitude }) =>
      send({
        latitude: Number(latitude),
        longitude: Number(longitude),
        ...(name ? { name } : {}),
        ...(address ? { address } : {}),
      }),
  )
}

/** @param {(contact: object) => unknown} send */
export function askContact(send) {
  ask(
    'Send a contact',
    'Send',
    [
      field('name', 'Name', { required: true, placeholder: 'Ida Moss' }),
      field('phone', 'Phone number', {
        required: true,
        inputmode: 'tel',
        placeholder: '+1 555 0171',
      }),
    ],
    ({ name = '', phone = '' }) => {
      const [first_name = name] = name.split(' ')
      return send({
        name: { formatted_name: name, first_name },
        phones: [{ phone, wa_id: phone.replace(/\D/g, ''), type: 'CELL' }],
      })
    },
  )
}
