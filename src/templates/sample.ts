// The sample that a template with a picture, film or document on top needs for Meta's review: an uploaded file, handed over.
import type { Readable } from 'node:stream'
import { findOneWaba, type WabaChoice } from '../accounts/find-waba.ts'
import { tokensOfWaba } from '../accounts/token.ts'
import { AppError } from '../errors.ts'
import { createGraphTemplates } from '../meta/graph-templates.ts'
import type { TemplateDesk } from './change.ts'
import { failureOf, unreadableToken } from './refusals.ts'

export interface SampleFile {
  filename: string
  mimeType: string
  bytes: number
  /** From its beginning, as often as wanted. */
  read(): Promise<Readable>
}

export interface SampleDesk extends TemplateDesk {
  /** Throws what is to be answered when there is no such file. `mediaId` is public. */
  openFile(tenantId: string, mediaId: string): Promise<SampleFile>
  /** Meta keeps samples by the app that hands them over; unless said, it is the token's. */
  metaAppId?: string | undefined
}

export interface NewSample extends WabaChoice {
  media_id: string
}

const formats: Record<string, 'IMAGE' | 'VIDEO' | 'DOCUMENT'> = {
  'image/jpeg': 'IMAGE',
  'image/png': 'IMAGE',
  'video/mp4': 'VIDEO',
  'application/pdf': 'DOCUMENT',
}

export async function giveSample(
  desk: SampleDesk,
  tenantId: string,
  { media_id, ...choice }: NewSample,
) {
  const { db, vault, metaAppId = 'app' } = desk
  const file = await desk.openFile(tenantId, media_id)
  const format = formats[file.mimeType]
  if (format === undefined) throw wrongType()
  const tokens = await db.tenantTransaction(tenantId, async (tx) =>
    tokensOfWaba(tx, vault, tenantId, await findOneWaba(tx, tenantId, choice)),
  )
  const templates = createGraphTemplates(desk.graph, desk.clock)
  let failure = unreadableToken(tokens.length)
  for (const { accessToken } of tokens) {
    if (accessToken === null) continue
    const content = await file.read()
    const answer = await templates.giveSample(metaAppId, accessToken, { ...file, content })
    if (answer.kind === 'accepted') return { handle: answer.value, format }
    failure = failureOf(answer, 'list')
    if (!failure.isAuth) break
  }
  throw failure.error
}

function wrongType(): AppError {
  const problem = 'a sample is a JPEG, a PNG, an MP4 or a PDF'
  return new AppError('INVALID_REQUEST', 400, `media_id: ${problem}`, {
    details: { fields: [{ field: 'media_id', problem }] },
  })
}
