// What is in the composer → messages, in the order they are to arrive.
import { type FileKind, lengthOf, maxCaption } from './limits.ts'
import type { Draft, DraftFile } from './unsent-queue.ts'

export interface Composed {
  text: string
  files: { file: File; kind: FileKind }[]
  /** The wamid that is answered. */
  answers: string | undefined
}

export interface Outgoing {
  draft: Draft
  files: DraftFile[]
}

const takesCaption = (kind: FileKind) => kind === 'image' || kind === 'video' || kind === 'document'

/** Which file the text goes under; undefined: it is a message of its own. */
export function captioned({ text, files }: Pick<Composed, 'text' | 'files'>): number | undefined {
  if (text.trim() === '' || lengthOf(text.trim()) > maxCaption) return undefined
  const [first] = files
  return first && takesCaption(first.kind) ? 0 : undefined
}

/** Several files are several messages. What is answered is answered by the first. */
export function messagesFrom({ text, files, answers }: Composed): Outgoing[] {
  const said = text.trim()
  const under = captioned({ text, files })
  const spoken: Outgoing[] =
    said === '' || under !== undefined
      ? []
      : [{ draft: { type: 'text', text: textOf(said) }, files: [] }]
  const sent = files.map(({ file, kind }, index) => ({
    draft: {
      type: kind,
      [kind]: {
        ...(kind === 'document' && { filename: file.name.slice(0, 255) }),
        ...(index === under && { caption: said }),
      },
    },
    files: [{ at: [kind, 'id'], file }],
  }))
  const [first, ...rest] = [...spoken, ...sent]
  if (!first) return []
  const context = answers === undefined ? {} : { context: { message_id: answers } }
  return [{ ...first, draft: { ...first.draft, ...context } }, ...rest]
}

/** Links show what they lead to, as they do when people write to each other. */
const textOf = (body: string) => ({
  body,
  ...(/https?:\/\/\S/i.test(body) && { preview_url: true }),
})
