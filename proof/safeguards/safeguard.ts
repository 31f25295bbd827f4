// A safeguard, and how it is left out.
import type { Edit } from '../tree.ts'

export interface Safeguard {
  name: string
  /** What would happen without it. */
  without: string
  edits: Edit[]
  /** Test files; at least one test in them must fail. */
  noticedBy: string[]
}

export const edit = (file: string, find: string, replace: string): Edit => ({ file, find, replace })
