// What is being written, kept for each conversation as long as the tab and the session last.
import { useState } from 'react'
import { mayKeep } from '../../../api/session.tsx'
import type { JudgedFile } from './limits.ts'

export interface KeptDraft {
  text: string
  /** Id of the message that is answered. */
  replyTo?: string | undefined
}

const keyOf = (conversationId: string) => `estafet.draft.${conversationId}`
const nothing: KeptDraft = { text: '' }

export function readDraft(conversationId: string): KeptDraft {
  const kept = sessionStorage.getItem(keyOf(conversationId))
  return kept === null ? nothing : (JSON.parse(kept) as KeptDraft)
}

export function keepDraft(conversationId: string, draft: KeptDraft): void {
  if (!mayKeep()) return
  try {
    if (draft.text === '' && draft.replyTo === undefined) {
      sessionStorage.removeItem(keyOf(conversationId))
    } else sessionStorage.setItem(keyOf(conversationId), JSON.stringify(draft))
  } catch {
    // No room: it is still in the field.
  }
}

/** Chosen and not sent: in memory, so that going to another conversation and back loses nothing. */
const chosenFiles = new Map<string, JudgedFile[]>()

export function useChosenFiles(conversationId: string) {
  const [files, setFiles] = useState(() => chosenFiles.get(conversationId) ?? [])
  const choose = (next: JudgedFile[]) => {
    chosenFiles.set(conversationId, next)
    setFiles(next)
  }
  return [files, choose] as const
}

export interface Filling {
  templateId?: string | undefined
  texts: Record<string, string>
}

const fillingKey = (conversationId: string) => `estafet.filling.${conversationId}`

/** The template that is being filled in. */
export function readFilling(conversationId: string): Filling {
  const kept = sessionStorage.getItem(fillingKey(conversationId))
  return kept === null ? { texts: {} } : (JSON.parse(kept) as Filling)
}

export function keepFilling(conversationId: string, filling: Filling): void {
  if (!mayKeep()) return
  if (filling.templateId === undefined) sessionStorage.removeItem(fillingKey(conversationId))
  else sessionStorage.setItem(fillingKey(conversationId), JSON.stringify(filling))
}
