// @ts-check
// Calls to the simulator. A refusal becomes an Error with the simulator's own words.

/**
 * @param {string} method
 * @param {string} path below /simulator
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function call(method, path, body) {
  const response = await reach(`/simulator${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return readAnswer(response)
}

/**
 * Puts a file into the simulated Meta's media store, from where the gateway can download it.
 * @param {string} number
 * @param {File} file
 * @returns {Promise<{ id: string, mime_type: string, sha256: string }>}
 */
export async function upload(number, file) {
  const query = new URLSearchParams({ phone_number_id: number, filename: file.name })
  const response = await reach(`/simulator/phone/media?${query}`, {
    method: 'POST',
    headers: { 'content-type': file.type || 'application/octet-stream' },
    body: file,
  })
  return readAnswer(response)
}

/**
 * @param {string} url
 * @param {RequestInit} init
 */
async function reach(url, init) {
  try {
    return await fetch(url, init)
  } catch {
    throw new Error('the simulator does not answer.')
  }
}

/**
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function readAnswer(response) {
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw new Error(answer.error?.message ?? `The simulator answered ${response.status}.`)
}

/**
 * @param {string} number
 * @param {string} customer
 */
export function chatPath(number, customer) {
  return `/phone/chats/${encodeURIComponent(number)}/${encodeURIComponent(customer)}`
}
