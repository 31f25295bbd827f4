// Whether a page that was loaded anew has something to send: known without loading what sends it.

export const unsentKey = 'estafet.unsent'

export const hasUnsent = () => sessionStorage.getItem(unsentKey) !== null
