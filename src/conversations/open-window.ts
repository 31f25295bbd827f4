import type { Tx } from '../db/connect.ts'
import { updateWindows, type WindowOpening } from './queries.ts'

/** A contact's call opens the service window, as a message does. */
export async function openWindows(tx: Tx, openings: WindowOpening[], now: Date): Promise<void> {
  if (openings.length > 0) await updateWindows(tx, openings, now)
}
