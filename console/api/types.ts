// The API's answers as the page sees them: taken from the contract, so that they cannot drift apart.
import type { z } from 'zod'
import type {
  account,
  conversation,
  message,
  messageInList,
  tenant,
} from '../../src/api/contract.ts'
import type { colleague, person, signedIn } from '../../src/api/contract-people.ts'

export type SignedIn = z.output<typeof signedIn>
export type Person = z.output<typeof person>
export type Colleague = z.output<typeof colleague>
export type Tenant = z.output<typeof tenant>
export type Account = z.output<typeof account>
export type Conversation = z.output<typeof conversation>
export type Message = z.output<typeof message>
export type MessageInList = z.output<typeof messageInList>

export interface List<Item> {
  data: Item[]
  paging: { next: string | null }
}
