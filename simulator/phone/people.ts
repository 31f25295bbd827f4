// The customers the phone page knows: who wrote, who was written to, and who was added by hand.
import { madeUpName } from '../customers.ts'
import { customerKey } from './presence.ts'

export interface PhoneCustomer {
  /** The digits of the phone number, or the user id of who shows none. */
  key: string
  wa_id?: string
  user_id?: string
  name: string
  username?: string
}

/** What may be known of a person: at least one of the two ids. */
export interface Acquaintance {
  wa_id?: string | undefined
  user_id?: string | undefined
  name?: string | undefined
  username?: string | undefined
}

/** Beyond this the ones met first are let go of; a load test writes to many thousands. */
const maxPeople = 1000

export type People = ReturnType<typeof createPeople>

/** `learned` hears of every other id of a person. */
export function createPeople(learned: (alias: string, key: string) => void) {
  const byKey = new Map<string, PhoneCustomer>()
  /** From another id of a person to the person's key. */
  const aliases = new Map<string, string>()

  function keyOf(id: string): string {
    const key = customerKey(id)
    return aliases.get(key) ?? key
  }

  function learn(alias: string, key: string): void {
    if (alias === key || aliases.get(alias) === key) return
    aliases.set(alias, key)
    learned(alias, key)
  }

  return {
    /** Learns what is new about a person and returns the person's key. */
    meet(person: Acquaintance): string {
      const { wa_id, user_id, name, username } = person
      if (wa_id !== undefined && user_id !== undefined) learn(user_id, keyOf(wa_id))
      const key = keyOf(wa_id ?? user_id ?? '')
      const known = byKey.get(key)
      byKey.set(key, {
        name: madeUpName(key),
        ...known,
        key,
        ...(wa_id === undefined ? {} : { wa_id: customerKey(wa_id) }),
        ...(user_id === undefined ? {} : { user_id }),
        // A script that writes for a person without naming them does not rename them.
        ...(name === undefined || name === madeUpName(wa_id ?? user_id ?? '') ? {} : { name }),
        ...(username === undefined ? {} : { username }),
      })
      if (byKey.size > maxPeople) forgetOne(byKey.keys().next().value)
      return key
    },
    /** From now on these names mean that person too. */
    alsoKnownAs(key: string, { wa_id, user_id }: Acquaintance): void {
      for (const id of [wa_id, user_id]) {
        if (id !== undefined) learn(customerKey(id), key)
      }
    },
    get: (key: string): PhoneCustomer => byKey.get(key) ?? { key, name: key },
    find: (id: string): PhoneCustomer | undefined => byKey.get(keyOf(id)),
    all: (): PhoneCustomer[] => [...byKey.values()],
    forget(): void {
      byKey.clear()
      aliases.clear()
    },
  }

  function forgetOne(key: string | undefined): void {
    if (key === undefined) return
    byKey.delete(key)
    for (const [alias, target] of aliases) if (target === key) aliases.delete(alias)
  }
}
