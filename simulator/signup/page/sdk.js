// A stand-in for Meta's JavaScript SDK, as far as Embedded Signup needs it: FB.init and FB.login.
// A page that loads this file instead of connect.facebook.net/…/sdk.js needs no other change.
;(() => {
  const script = document.currentScript
  const origin = new URL(script instanceof HTMLScriptElement ? script.src : location.href).origin
  let settings = { appId: '', version: 'v25.0' }

  /** The dialog tells its outcome by message; a window that is closed first was a refusal. */
  function login(callback, options = {}) {
    const query = new URLSearchParams({
      client_id: settings.appId,
      display: 'popup',
      response_type: options.response_type ?? 'code',
      origin: location.origin,
      ...(options.config_id ? { config_id: options.config_id } : {}),
      ...(options.extras ? { extras: JSON.stringify(options.extras) } : {}),
      ...(options.state ? { state: options.state } : {}),
    })
    const url = `${origin}/${settings.version}/dialog/oauth?${query}`
    const popup = window.open(url, 'embedded-signup', 'popup,width=560,height=760')
    if (popup === null) {
      callback({ status: 'unknown', authResponse: null })
      return
    }
    const closing = setInterval(() => popup.closed && end(null), 300)
    function hear(event) {
      if (event.origin !== origin || event.source !== popup) return
      if (event.data?.simulator !== 'login') return
      end(event.data.code)
    }
    function end(code) {
      clearInterval(closing)
      popup.close()
      window.removeEventListener('message', hear)
      callback(
        code === null
          ? { status: 'unknown', authResponse: null }
          : { status: 'connected', authResponse: { userID: null, expiresIn: null, code } },
      )
    }
    window.addEventListener('message', hear)
  }

  window.FB = {
    init(given) {
      settings = { ...settings, ...given }
    },
    login,
    getLoginStatus: (callback) => callback({ status: 'unknown', authResponse: null }),
    AppEvents: { logPageView() {} },
  }
  // As Meta's does: whoever waits for the SDK is called once it is there.
  if (typeof window.fbAsyncInit === 'function') setTimeout(window.fbAsyncInit)
})()
