// What the sign-up page does in the browser. Plain JavaScript in a string, so that its digest can stand in the policy.
// It hands on what Meta says and believes none of it: the gateway asks Meta itself. The console, which may have opened it,
// hears what came of it: on a channel of this origin, because a full page in between cuts the tie between the windows.
export const pageScript = String.raw`
(() => {
  'use strict'
  const settings = document.documentElement.dataset
  const words = JSON.parse(settings.words)
  const channel = new BroadcastChannel('estafet.signup')
  const button = document.getElementById('connect')
  const note = document.getElementById('note')
  if (button === null) return

  function say(kind, title, text, small) {
    note.className = 'note ' + kind
    note.replaceChildren()
    const parts = [['h2', title], ['p', text], ['small', small]]
    for (const [tag, words] of parts) {
      if (!words) continue
      const element = document.createElement(tag)
      element.textContent = words
      note.append(element)
    }
    note.hidden = false
  }

  /** No state and no code: only what is shown here. */
  function tell(news) {
    channel.postMessage({ id: settings.id, ...news })
  }

  /** Without the name of the field, which means nothing to a person. */
  function forPeople(message) {
    const words = message.replace(/^[a-z_]+: /, '')
    return words.charAt(0).toUpperCase() + words.slice(1)
  }

  /** facebook.com or below it, or the simulated Meta. */
  function isMeta(origin) {
    if (origin === settings.metaOrigin) return true
    if (settings.metaOrigin !== 'https://www.facebook.com') return false
    const url = new URL(origin)
    return url.protocol === 'https:' && /(^|\.)facebook\.com$/.test(url.hostname)
  }

  let session = null
  let heard = () => {}
  window.addEventListener('message', (event) => {
    if (typeof event.data !== 'string' || !isMeta(event.origin)) return
    let message
    try {
      message = JSON.parse(event.data)
    } catch {
      return
    }
    if (message?.type !== 'WA_EMBEDDED_SIGNUP') return
    session = message
    heard()
  })

  /** The code lives 30 seconds, and what was chosen may come a moment after it. */
  async function sessionInfo() {
    if (session === null) {
      await new Promise((resolve) => {
        heard = resolve
        setTimeout(resolve, 1500)
      })
    }
    return session?.data ?? {}
  }

  async function finish(code) {
    say('', words.connecting, words.connectingText)
    const chosen = await sessionInfo()
    const query = new URLSearchParams({ code, state: settings.state, via: 'popup' })
    for (const name of ['waba_id', 'phone_number_id']) {
      if (typeof chosen[name] === 'string') query.set(name, chosen[name])
    }
    const response = await fetch('/api/integrations/meta/whatsapp/callback?' + query, {
      headers: { accept: 'application/json' },
    })
    const answer = await response.json()
    document.body.classList.add('over')
    if (response.ok) {
      say('ok', words.connected, words.connectedText.replace('{number}', () => answer.display_phone_number))
      settings.done = 'yes'
      tell({ kind: 'ok', account: answer.id })
    } else {
      const { code: name, message, request_id } = answer.error
      const text = words.refusals[name] ?? forPeople(message)
      const small = name + ' · ' + request_id
      say('bad', words.notConnected, text, small)
      tell({ kind: 'bad', title: words.notConnected, text, small })
    }
  }

  function cancelled() {
    const data = session?.event === 'CANCEL' ? session.data : {}
    button.disabled = false
    if (data?.error_message) say('bad', words.metaError, data.error_message, data.error_id)
    else say('', words.notFinished, words.notFinishedText)
  }

  button.addEventListener('click', () => {
    session = null
    note.hidden = true
    button.disabled = true
    window.FB.login(
      (response) => {
        const code = response?.authResponse?.code
        if (!code) return cancelled()
        finish(code).catch(() =>
          say('bad', words.noConnection, words.noConnectionText),
        )
      },
      {
        config_id: settings.configId,
        response_type: 'code',
        override_default_response_type: true,
        extras: { setup: {}, featureType: '', sessionInfoVersion: '3' },
      },
    )
  })

  document.getElementById('other').addEventListener('click', () => tell({ kind: 'away' }))

  window.fbAsyncInit = () => {
    window.FB.init({ appId: settings.appId, version: settings.version, cookie: false, xfbml: false })
    button.disabled = false
    button.textContent = button.dataset.label
  }
  const sdk = document.createElement('script')
  sdk.src = settings.sdk
  sdk.async = true
  sdk.onerror = () => {
    button.textContent = button.dataset.label
    say('bad', words.noScript, words.noScriptText)
  }
  document.head.append(sdk)
})()
`

/** Of a page that only says what came of it. */
export const noteScript = `
(() => {
  'use strict'
  const { id, kind, account } = document.documentElement.dataset
  if (id === undefined) return
  const text = (tag) => document.querySelector('.note ' + tag)?.textContent
  new BroadcastChannel('estafet.signup').postMessage(
    kind === 'ok'
      ? { id, kind, account }
      : { id, kind, title: text('h2'), text: text('p'), small: text('small') },
  )
})()
`
