// The API's answers as the page sees them: taken from the contract, so that they cannot drift apart.
import type { z } from 'zod'
import type {
  account,
  apiKey,
  message,
  messageInList,
  ownNumber,
  tenant,
} from '../../src/api/contract.ts'
import type { auditAct, auditVerification } from '../../src/api/contract-audit.ts'
import type { conversation, conversationCounts } from '../../src/api/contract-conversations.ts'
import type {
  colleague,
  invitedPerson,
  listedPerson,
  person,
  personLink,
  signedIn,
} from '../../src/api/contract-people.ts'

export type SignedIn = z.output<typeof signedIn>
export type Person = z.output<typeof person>
export type ListedPerson = z.output<typeof listedPerson>
export type InvitedPerson = z.output<typeof invitedPerson>
export type PersonLink = z.output<typeof personLink>
export type Colleague = z.output<typeof colleague>
export type Tenant = z.output<typeof tenant>
export type ApiKey = z.output<typeof apiKey>
export type AuditAct = z.output<typeof auditAct>
export type AuditVerification = z.output<typeof auditVerification>
export type Account = z.output<typeof account>
export type OwnNumber = z.output<typeof ownNumber>
export type Conversation = z.output<typeof conversation>
export type ConversationCounts = z.output<typeof conversationCounts>
export type Message = z.output<typeof message>
export type MessageInList = z.output<typeof messageInList>

export interface List<Item> {
  data: Item[]
  paging: { next: string | null }
}
