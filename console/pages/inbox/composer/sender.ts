// The one sender of this page: it goes on whichever view is shown, and after a reload, until the gateway has everything.
// What it keeps lies in sessionStorage: it survives a reload and a crash of the tab, is not seen by other tabs, which
// therefore do not send it too, and is gone with the tab or the session. Files stay in memory: they would outlive both.
import { onSignedIn, post } from '../../../api/call.ts'
import { toProblem } from '../../../api/problem.ts'
import { mayKeep } from '../../../api/session.tsx'
import { uploadFile } from '../../../api/upload.ts'
import {
  changed,
  conversationsWaiting,
  type DraftFile,
  fromText,
  type Item,
  isUnsent,
  nextOf,
  type Outcome,
  outcomeOf,
  retried,
  settled,
  toText,
  uploaded,
  waitAfter,
  without,
} from './unsent-queue.ts'
import { unsentKey } from './unsent-storage.ts'

/** A connection that died without a word is found out by its silence. */
const answerMs = 30_000

type NewItem = Pick<Item, 'tenantId' | 'conversationId' | 'address' | 'draft'>

let items: Item[] = fromText(sessionStorage.getItem(unsentKey) ?? '[]')
const bytes = new Map<string, File[]>()
const listeners = new Set<() => void>()
const running = new Set<string>()
const sleepers = new Set<() => void>()
const underWay = new Map<string, AbortController>()

function set(next: Item[]): void {
  items = next
  if (mayKeep()) keep()
  for (const tell of listeners) tell()
}

function keep(): void {
  try {
    if (items.some(isUnsent)) sessionStorage.setItem(unsentKey, toText(items))
    else sessionStorage.removeItem(unsentKey)
  } catch {
    // No room: it is still here, as long as the page is.
  }
}

export const sender = {
  items: () => items,
  watch(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  add(item: NewItem, files: DraftFile[] = []): void {
    const key = crypto.randomUUID()
    bytes.set(
      key,
      files.map(({ file }) => file),
    )
    const names = files.map(({ at, file }) => ({ at, name: file.name }))
    const writtenAt = new Date().toISOString()
    set([...items, { ...item, key, writtenAt, files: names, tries: 0 }])
    void run(item.conversationId)
  },
  retry(key: string): void {
    set(retried(items, key))
    wake()
  },
  /** The thread shows them, or nobody wants them sent any more. */
  drop(keys: string[]): void {
    for (const key of keys) {
      underWay.get(key)?.abort()
      bytes.delete(key)
    }
    set(without(items, keys))
  },
  /** Those that it was written with; none after a reload. */
  filesOf: (key: string): File[] => bytes.get(key) ?? [],
  wake,
}

/** Whatever waits is tried now. */
function wake(): void {
  for (const goOn of sleepers) goOn()
  for (const conversationId of conversationsWaiting(items)) void run(conversationId)
}

async function run(conversationId: string): Promise<void> {
  if (running.has(conversationId)) return
  running.add(conversationId)
  for (let item = nextOf(items, conversationId); item; item = nextOf(items, conversationId)) {
    const { key } = item
    const outcome = await tryOnce(item)
    set(settled(items, key, outcome))
    const now = items.find((one) => one.key === key)
    if (now && outcome.kind === 'waits') await sleep(waitAfter(now.tries, Math.random()))
  }
  running.delete(conversationId)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      clearTimeout(timer)
      sleepers.delete(goOn)
      resolve()
    }
    const timer = setTimeout(goOn, ms)
    sleepers.add(goOn)
  })
}

async function tryOnce({ key, tenantId, address }: Item): Promise<Outcome> {
  const stop = new AbortController()
  underWay.set(key, stop)
  try {
    await uploadFiles(key, stop.signal)
    const item = items.find((one) => one.key === key)
    if (!item) throw stop.signal.reason
    const { message_id } = await post<{ message_id: string }>(
      '/api/whatsapp/meta/send',
      { ...address, ...item.draft },
      {
        headers: { 'idempotency-key': key },
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(answerMs)]),
        tenantId,
      },
    )
    return { kind: 'accepted', messageId: message_id }
  } catch (error) {
    return outcomeOf(toProblem(error))
  } finally {
    underWay.delete(key)
  }
}

/** One after the other; what was uploaded is not uploaded again. */
async function uploadFiles(key: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const item = items.find((one) => one.key === key)
    const file = bytes.get(key)?.at(-(item?.files.length ?? 0))
    if (!item || item.files.length === 0 || !file) return
    const { media_id } = await uploadFile<{ media_id: string }>('/api/whatsapp/meta/media', file, {
      tenantId: item.tenantId,
      signal,
      onProgress: (progress) => set(changed(items, key, { progress, waitsFor: undefined })),
    })
    set(uploaded(items, key, media_id))
  }
}

addEventListener('online', wake)
onSignedIn(wake)
addEventListener('beforeunload', (event) => {
  if (mayKeep() && items.some(isUnsent)) event.preventDefault()
})
if (mayKeep()) wake()
