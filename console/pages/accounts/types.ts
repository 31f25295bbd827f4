// What the API says of accounts, as this page uses it.
import type { z } from 'zod'
import type { accountEvent } from '../../../src/api/contract.ts'
import type {
  accountInList,
  doctorReport,
  repairReport,
  signupSettings,
  signupStart,
} from '../../../src/api/contract-connect.ts'
import type { stopWords, suppression } from '../../../src/api/contract-consent.ts'
import type { eventEndpoint } from '../../../src/api/contract-events.ts'

export type Account = z.output<typeof accountInList>
export type DoctorReport = z.output<typeof doctorReport>
export type Check = DoctorReport['checks'][number]
export type RepairReport = z.output<typeof repairReport>
export type SignupStart = z.output<typeof signupStart>
export type SignupSettings = z.output<typeof signupSettings>
export type AccountEvent = z.output<typeof accountEvent>
export type Suppression = z.output<typeof suppression>
export type StopWords = z.output<typeof stopWords>
export type EventEndpoint = z.output<typeof eventEndpoint>
