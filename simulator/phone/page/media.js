// @ts-check
// Pictures, sounds and files: shown where the browser can, named where it cannot.
import { h, icon } from './dom.js'

const kindNames = {
  image: 'Photo',
  sticker: 'Sticker',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
}

/**
 * @param {'image' | 'sticker' | 'video' | 'audio' | 'document'} kind
 * @param {any} media
 */
export function mediaBlock(kind, media) {
  const name = kindNames[kind]
  if (typeof media.link === 'string')
    return fileBox(kind, media.filename ?? name, 'From a link', media.link)
  const source = `/simulator/phone/media/${encodeURIComponent(String(media.id))}`
  const absent = () =>
    fileBox(kind, media.filename ?? name, 'The file itself is not in the simulator')
  if (kind === 'document')
    return fileBox(kind, media.filename ?? name, media.mime_type ?? '', source)
  /** @type {HTMLElement} */
  let preview
  if (kind === 'audio')
    preview = h('audio', { controls: true, src: source, preload: 'metadata', 'aria-label': name })
  else if (kind === 'video')
    preview = h('video', { controls: true, src: source, preload: 'metadata', 'aria-label': name })
  else preview = h('img', { src: source, alt: media.caption ?? name, class: kind, loading: 'lazy' })
  preview.addEventListener('error', () => preview.replaceWith(absent()))
  return preview
}

/**
 * @param {string} kind
 * @param {string} title
 * @param {string} note
 * @param {string} [href]
 */
function fileBox(kind, title, note, href) {
  const sign =
    kind === 'image' || kind === 'sticker' ? 'image' : kind === 'document' ? 'file' : 'play'
  const words = h('span', {}, h('b', {}, title), h('small', {}, note))
  const box = { class: 'filebox' }
  if (href === undefined) return h('div', box, h('span', { class: 'sign' }, icon(sign)), words)
  const away = /^https?:/i.test(href)
    ? { target: '_blank', rel: 'noopener noreferrer' }
    : { download: title }
  if (!/^(https?:|\/)/i.test(href))
    return h('div', box, h('span', { class: 'sign' }, icon(sign)), words)
  return h('a', { ...box, href, ...away }, h('span', { class: 'sign' }, icon(sign)), words)
}
