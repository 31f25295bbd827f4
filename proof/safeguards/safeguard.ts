// A safeguard, and how it is left out.
import type { Edit } from '../tree.ts'

export interface Safeguard {
  name: string
  /** What would happen without it. */
  without: string
  edits: Edit[]
  /** By file, the title of the test that must fail, or a part of it. */
  noticedBy: Record<string, string>
}

export const edit = (file: string, find: string, replace: string): Edit => ({ file, find, replace })
