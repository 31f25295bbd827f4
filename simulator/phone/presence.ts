// Whether a customer's phone is on, tells that it read, and has blocked a business: what decides
// how far a message gets.
import { digitsOf, isBusinessScopedUserId } from '../identifiers.ts'

export interface Presence {
  isOnline(customer: string): boolean
  /** False: the customer turned read receipts off, so nothing sent to them is ever `read`. */
  readsReceipts(customer: string): boolean
  hasBlocked(customer: string, phoneNumberId: string): boolean
  /**
   * Runs `task` at once when the customer is online, else on coming back, first come first served.
   * The returned function calls it off.
   */
  whenOnline(customer: string, task: () => void): () => void
  /** From now on `id` names the same customer; what was said about `id` alone no longer counts. */
  alias(id: string, customer: string): void
  setOnline(customer: string, online: boolean): void
  setReadReceipts(customer: string, on: boolean): void
  setBlocked(customer: string, phoneNumberId: string, blocked: boolean): void
}

interface State {
  online: boolean
  readReceipts: boolean
  blocked: Set<string>
  waiting: Set<() => void>
}

/** `changed` hears the customer's key after every change that made a difference. */
export function createPresence(changed: (customer: string) => void): Presence {
  const states = new Map<string, State>()
  const aliases = new Map<string, string>()

  function keyOf(id: string): string {
    const key = customerKey(id)
    return aliases.get(key) ?? key
  }

  function stateOf(customer: string): State {
    const key = keyOf(customer)
    const known = states.get(key)
    if (known !== undefined) return known
    const fresh = {
      online: true,
      readReceipts: true,
      blocked: new Set<string>(),
      waiting: new Set<() => void>(),
    }
    states.set(key, fresh)
    return fresh
  }

  return {
    isOnline: (customer) => states.get(keyOf(customer))?.online ?? true,
    readsReceipts: (customer) => states.get(keyOf(customer))?.readReceipts ?? true,
    hasBlocked: (customer, phoneNumberId) =>
      states.get(keyOf(customer))?.blocked.has(phoneNumberId) ?? false,
    whenOnline(customer, task) {
      const state = stateOf(customer)
      // Wrapped, so that the same task may wait twice.
      const turn = () => task()
      if (state.online) {
        turn()
        return () => {}
      }
      state.waiting.add(turn)
      return () => void state.waiting.delete(turn)
    },
    alias: (id, customer) => void aliases.set(customerKey(id), keyOf(customer)),
    setOnline(customer, online) {
      const state = stateOf(customer)
      if (state.online === online) return
      state.online = online
      changed(keyOf(customer))
      if (!online) return
      const turns = [...state.waiting]
      state.waiting.clear()
      for (const turn of turns) turn()
    },
    setReadReceipts(customer, on) {
      const state = stateOf(customer)
      if (state.readReceipts === on) return
      state.readReceipts = on
      changed(keyOf(customer))
    },
    setBlocked(customer, phoneNumberId, blocked) {
      const state = stateOf(customer)
      if (state.blocked.has(phoneNumberId) === blocked) return
      if (blocked) state.blocked.add(phoneNumberId)
      else state.blocked.delete(phoneNumberId)
      changed(keyOf(customer))
    },
  }
}

/** One customer, one key: digits of the phone number, or the user id of who shows none. */
export function customerKey(id: string): string {
  return isBusinessScopedUserId(id) ? id : digitsOf(id)
}
