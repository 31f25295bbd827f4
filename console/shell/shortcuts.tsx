// Single keys for those who do this all day. Off in fields and dialogs, and altogether for those who want that.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { useWords } from '../words/language.tsx'
import { shellWords } from './words.ts'

interface Shortcut {
  /** `j`, `?`, or one after the other: `g i`. */
  keys: string
  does: string
  act(): void
}

const shortcuts = new Map<symbol, Shortcut>()
const storageKey = 'estafet.single-keys'
const sequenceMs = 1_000
let first: { key: string; at: number } | undefined

const areOn = () => localStorage.getItem(storageKey) !== 'off'
const watchers = new Set<() => void>()

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(storageKey, isOn ? 'on' : 'off')
  for (const tell of watchers) tell()
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore((tell) => {
    watchers.add(tell)
    return () => watchers.delete(tell)
  }, areOn)
}

/** `does`: what the list of shortcuts says of it. Undefined `act`: not now. */
export function useShortcut(keys: string, does: string, act: (() => void) | undefined): void {
  const latest = useRef(act)
  latest.current = act
  const isOn = act !== undefined
  useEffect(() => {
    if (!isOn) return
    const id = Symbol(keys)
    shortcuts.set(id, { keys, does, act: () => latest.current?.() })
    return () => void shortcuts.delete(id)
  }, [keys, does, isOn])
}

/** Where letters are written; a checkbox takes none. */
const fields = 'input:not([type="checkbox"]), textarea, select'

addEventListener('keydown', (event) => {
  if (!areOn() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  const target = event.target as HTMLElement
  if (target.closest?.(`${fields}, [contenteditable], [role="menu"]`)) return
  if (document.querySelector('dialog[open]')) return
  const key = event.key === '?' ? '?' : event.key.toLowerCase()
  const before = first && performance.now() - first.at < sequenceMs ? `${first.key} ` : ''
  const found =
    [...shortcuts.values()].findLast(({ keys }) => keys === before + key) ??
    [...shortcuts.values()].findLast(
      ({ keys }) => keys === (event.shiftKey && key !== '?' ? `shift ${key}` : key),
    )
  const isStart = [...shortcuts.values()].some(({ keys }) => keys.startsWith(`${key} `))
  first = !found && isStart ? { key, at: performance.now() } : undefined
  if (!found) return
  event.preventDefault()
  found.act()
})

/** `?` opens it anywhere. */
export function ShortcutHelp({
  isOpen,
  onOpen,
  onClose,
}: {
  isOpen: boolean
  onOpen(): void
  onClose(): void
}) {
  const words = useWords(shellWords)
  useShortcut('?', words.showShortcuts, onOpen)
  return isOpen ? <ShortcutList onClose={onClose} /> : null
}

function ShortcutList({ onClose }: { onClose(): void }) {
  const words = useWords(shellWords)
  const isOn = useSingleKeys()
  // As they were when it was opened: the dialog itself has none.
  const [known] = useState(() => [...shortcuts.values()])
  const shown = known.filter(
    ({ keys }, at) => known.findLastIndex((one) => one.keys === keys) === at,
  )
  return (
    <Dialog title={words.shortcuts} onClose={onClose}>
      <dl className="shortcut-list">
        {shown.map(({ keys, does }) => (
          <div key={keys}>
            <dt>{does}</dt>
            <dd>
              {keys.split(' ').map((key) => (
                <kbd key={key}>
                  {key.length === 1 ? key.toUpperCase() : key === 'shift' ? 'Shift' : key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
        <div>
          <dt>{words.sendMessage}</dt>
          <dd>
            <kbd>{/Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'}</kbd>
            <kbd>Enter</kbd>
          </dd>
        </div>
      </dl>
      <label className="row">
        <input
          type="checkbox"
          className="check"
          checked={isOn}
          onChange={(event) => setSingleKeys(event.target.checked)}
        />
        {words.singleKeys}
      </label>
    </Dialog>
  )
}
