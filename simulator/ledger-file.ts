// The ledger on disk, one JSON object a line, so that it survives the simulator's own death. An
// entry that changes is written again; the last line with an id tells its final state.
import { closeSync, openSync, writeSync } from 'node:fs'
import type { LedgerWitness } from './ledger.ts'

export interface LedgerFile {
  witness: LedgerWitness
  /** Lines that could not be written, for example because the disk is full. */
  lost(): number
  close(): void
}

export function openLedgerFile(path: string): LedgerFile {
  const file = openSync(path, 'a')
  let lost = 0
  let open = true
  return {
    // Written before anything else happens: a line still waiting in memory dies with the process.
    witness(list, entry) {
      if (!open) return
      try {
        writeSync(file, `${JSON.stringify({ list, ...entry })}\n`)
      } catch {
        lost++
      }
    },
    lost: () => lost,
    close() {
      if (open) closeSync(file)
      open = false
    },
  }
}
