// A file on its way to the API, with how far it got: what fetch does not tell.
import { changingHeaders, noAnswer, refused } from './call.ts'

/** Without a byte for this long the connection is dead, whatever it says. */
const silenceMs = 60_000

interface UploadOptions {
  tenantId: string | null
  onProgress(share: number): void
  signal: AbortSignal
}

export function uploadFile<Answer>(
  path: string,
  file: File,
  { tenantId, onProgress, signal }: UploadOptions,
): Promise<Answer> {
  const form = new FormData()
  form.set('file', file)
  const request = new XMLHttpRequest()
  request.open('POST', path)
  request.responseType = 'json'
  const headers = changingHeaders(tenantId)
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  const abort = () => request.abort()
  let silence = setTimeout(abort, silenceMs)
  request.upload.onprogress = ({ loaded, total }) => {
    clearTimeout(silence)
    silence = setTimeout(abort, silenceMs)
    onProgress(total > 0 ? loaded / total : 0)
  }
  signal.addEventListener('abort', abort)
  return new Promise<Answer>((resolve, reject) => {
    request.onabort = () => reject(signal.aborted ? signal.reason : noAnswer())
    request.onerror = () => reject(noAnswer())
    request.onload = () => {
      const { status, statusText, response: body } = request
      if (status >= 200 && status < 300) return resolve(body as Answer)
      const requestId = request.getResponseHeader('x-request-id')
      const csrfToken = headers['x-csrf-token']
      reject(refused({ csrfToken, status, statusText, requestId, body }))
    }
    request.send(form)
  }).finally(() => {
    clearTimeout(silence)
    signal.removeEventListener('abort', abort)
  })
}
