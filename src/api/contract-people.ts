// People of the console: what goes in and out.
import { z } from 'zod'
import { tenantId, time } from './contract.ts'

export const personRoles = ['operator', 'admin', 'agent'] as const
export type PersonRole = (typeof personRoles)[number]

const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>".]+$/, 'an e-mail address')
const name = z.string().trim().min(1).max(100)
/** Length is what makes a password hard to guess (NIST 800-63B); the rest is up to the person. */
const password = z.string().min(12, 'at least 12 characters').max(200)
const token = z.string().regex(/^[\w-]{43}$/, 'the token of a link')

export const person = z
  .object({
    id: z.string(),
    tenant_id: tenantId.nullable(),
    email: z.string(),
    name: z.string(),
    role: z.enum(personRoles),
    status: z.enum(['invited', 'active', 'disabled']),
    created_at: time,
  })
  .meta({ id: 'Person' })

export const listedPerson = person
  .extend({
    last_seen_at: time.nullable().describe('null: not lately; told to about a minute'),
  })
  .meta({ id: 'ListedPerson' })

/** What colleagues see of each other. */
export const colleague = z
  .object({ id: z.string(), name: z.string(), role: z.enum(personRoles) })
  .meta({ id: 'Colleague' })

export const newPerson = z
  .strictObject({
    email,
    name,
    role: z.enum(personRoles),
    tenant_id: tenantId.optional().describe('Of an admin or agent; operators have none'),
  })
  .meta({ id: 'NewPerson' })
export const newColleague = z
  .strictObject({ email, name, role: z.enum(['admin', 'agent']) })
  .meta({ id: 'NewColleague' })

export const personChange = z
  .strictObject({
    name: name.optional(),
    role: z.enum(personRoles).optional(),
    status: z.enum(['active', 'disabled']).optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    message: 'nothing to change',
  })
  .meta({ id: 'PersonChange' })

/** Shown once: whoever has it chooses that person's password. */
export const personLink = z
  .object({
    purpose: z.enum(['invitation', 'new_password']),
    url: z.string(),
    expires_at: time,
  })
  .meta({ id: 'PersonLink' })
export const invitedPerson = z.object({ person, link: personLink }).meta({ id: 'InvitedPerson' })

export const signedOut = z
  .object({ sessions: z.number().int().describe('how many there were') })
  .meta({ id: 'SignedOut' })

export const signIn = z
  .strictObject({ email, password: z.string().min(1).max(200) })
  .meta({ id: 'SignIn' })
export const linkToken = z.strictObject({ token }).meta({ id: 'LinkToken' })
export const linkOwner = z
  .object({
    name: z.string(),
    email: z.string(),
    purpose: z.enum(['invitation', 'new_password']),
  })
  .meta({ id: 'LinkOwner' })
export const acceptLink = z.strictObject({ token, password }).meta({ id: 'AcceptLink' })
export const passwordChange = z
  .strictObject({
    current_password: z.string().min(1).max(200),
    password,
  })
  .meta({ id: 'PasswordChange' })

/** The person who asks, and what the page needs to act for them. */
export const signedIn = z
  .object({
    person,
    tenant: z.object({ id: tenantId, name: z.string() }).nullable(),
    csrf_token: z.string().describe('To be sent as X-CSRF-Token with everything but GET'),
    expires_at: time.describe('When to sign in again at the latest'),
    simulator_url: z.string().optional().describe('Where Meta is played, under `dev`'),
  })
  .meta({ id: 'SignedIn' })
