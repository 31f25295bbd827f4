// Good input of every kind, for what is made of it to be bad.
import { readdirSync } from 'node:fs'
import { fixture } from '../../test/support/payloads.ts'

const filesIn = (folder: string) =>
  readdirSync(new URL(`../../test/fixtures/meta/${folder}`, import.meta.url))

/** Every webhook of Meta's that there is a fixture of. */
export const webhookFiles = filesIn('').filter((file) => /^\d{3}-.*\.json$/.test(file))
export const webhookBodies = webhookFiles.map(fixture)

/** The same, each as a value. */
export const webhooks = webhookBodies.map((raw): unknown => JSON.parse(raw.toString()))

export interface GraphAnswerSample {
  status: number
  headers: Record<string, string>
  body: unknown
}

export const graphAnswers = filesIn('responses/').map(
  (file): GraphAnswerSample => JSON.parse(fixture(`responses/${file}`).toString()),
)
