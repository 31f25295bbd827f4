// What the sign-up page says, in the console's four languages. {tenant} and {number} are filled in by whoever shows it.

export const languages = ['en', 'es', 'pt', 'id'] as const
export type Language = (typeof languages)[number]

/** What was asked for; otherwise what the browser prefers. */
export function languageOf(asked: string | undefined, accepted: string | undefined): Language {
  const wishes = [asked ?? '', ...(accepted ?? '').slice(0, 500).split(',')]
  for (const wish of wishes) {
    const name = wish.trim().toLowerCase().split(/[-;]/)[0]
    const found = languages.find((one) => one === name)
    if (found) return found
  }
  return 'en'
}

const en = {
  connect: 'Connect WhatsApp',
  reconnect: 'Reconnect WhatsApp',
  connectTo: 'Connect a number to {tenant}.',
  reconnectOf:
    'Reconnect {number} of {tenant}. Messages that wait go out afterwards, in their order.',
  steps: [
    'A window of Facebook opens. Sign in with an account that manages the business.',
    'Choose the business, its WhatsApp account and the number.',
    'Leave every permission that is asked for switched on, and finish.',
  ],
  loading: 'Loading…',
  continueWith: 'Continue with Facebook',
  reconnectWith: 'Reconnect with Facebook',
  fullPage: 'Use a full page instead of a pop-up',
  once: 'This link works once, for 10 minutes.',
  connecting: 'Connecting…',
  connectingText: 'Meta is asked about the number. This takes a few seconds.',
  connected: 'Connected',
  reconnected: 'Reconnected',
  connectedText: '{number} sends and receives from now on. You can close this window.',
  notConnected: 'Not connected',
  metaError: 'Meta reported an error',
  notFinished: 'Not finished',
  notFinishedText: 'The window was closed before the end. Nothing has changed; you can try again.',
  noConnection: 'No connection',
  noConnectionText: 'The gateway did not answer. Look at your network and ask for a new link.',
  noScript: 'Meta’s script could not be loaded',
  noScriptText:
    'A blocker in this browser may be in the way. The full page below works without it.',
}

export type PageWords = typeof en

const es: PageWords = {
  connect: 'Conectar WhatsApp',
  reconnect: 'Volver a conectar WhatsApp',
  connectTo: 'Conecte un número a {tenant}.',
  reconnectOf:
    'Vuelva a conectar {number} de {tenant}. Los mensajes que esperan salen después, en su orden.',
  steps: [
    'Se abre una ventana de Facebook. Entre con una cuenta que administre la empresa.',
    'Elija la empresa, su cuenta de WhatsApp y el número.',
    'Deje activados todos los permisos que se piden y termine.',
  ],
  loading: 'Cargando…',
  continueWith: 'Continuar con Facebook',
  reconnectWith: 'Volver a conectar con Facebook',
  fullPage: 'Usar una página completa en vez de una ventana emergente',
  once: 'Este enlace sirve una vez, durante 10 minutos.',
  connecting: 'Conectando…',
  connectingText: 'Se consulta el número a Meta. Tarda unos segundos.',
  connected: 'Conectado',
  reconnected: 'Conectado de nuevo',
  connectedText: '{number} envía y recibe desde ahora. Puede cerrar esta ventana.',
  notConnected: 'No conectado',
  metaError: 'Meta informó un error',
  notFinished: 'Sin terminar',
  notFinishedText:
    'La ventana se cerró antes del final. No ha cambiado nada; puede intentarlo de nuevo.',
  noConnection: 'Sin conexión',
  noConnectionText: 'La pasarela no respondió. Revise su red y pida un enlace nuevo.',
  noScript: 'No se pudo cargar el script de Meta',
  noScriptText:
    'Puede que lo impida un bloqueador de este navegador. La página completa de abajo funciona sin él.',
}

const pt: PageWords = {
  connect: 'Conectar o WhatsApp',
  reconnect: 'Reconectar o WhatsApp',
  connectTo: 'Conecte um número a {tenant}.',
  reconnectOf:
    'Reconecte {number} de {tenant}. As mensagens que esperam saem depois, na ordem delas.',
  steps: [
    'Uma janela do Facebook se abre. Entre com uma conta que administra a empresa.',
    'Escolha a empresa, a conta do WhatsApp dela e o número.',
    'Deixe ativadas todas as permissões pedidas e conclua.',
  ],
  loading: 'Carregando…',
  continueWith: 'Continuar com o Facebook',
  reconnectWith: 'Reconectar com o Facebook',
  fullPage: 'Usar uma página inteira em vez de uma janela pop-up',
  once: 'Este link vale uma vez, por 10 minutos.',
  connecting: 'Conectando…',
  connectingText: 'O número está sendo consultado na Meta. Leva alguns segundos.',
  connected: 'Conectado',
  reconnected: 'Reconectado',
  connectedText: '{number} envia e recebe a partir de agora. Você pode fechar esta janela.',
  notConnected: 'Não conectado',
  metaError: 'A Meta informou um erro',
  notFinished: 'Não concluído',
  notFinishedText: 'A janela foi fechada antes do fim. Nada mudou; você pode tentar de novo.',
  noConnection: 'Sem conexão',
  noConnectionText: 'O gateway não respondeu. Verifique sua rede e peça um novo link.',
  noScript: 'O script da Meta não pôde ser carregado',
  noScriptText:
    'Um bloqueador deste navegador pode estar impedindo. A página inteira abaixo funciona sem ele.',
}

const id: PageWords = {
  connect: 'Hubungkan WhatsApp',
  reconnect: 'Hubungkan lagi WhatsApp',
  connectTo: 'Hubungkan nomor ke {tenant}.',
  reconnectOf:
    'Hubungkan lagi {number} milik {tenant}. Pesan yang menunggu terkirim sesudahnya, sesuai urutannya.',
  steps: [
    'Jendela Facebook terbuka. Masuklah dengan akun yang mengelola bisnisnya.',
    'Pilih bisnis, akun WhatsApp-nya, dan nomornya.',
    'Biarkan semua izin yang diminta tetap aktif, lalu selesaikan.',
  ],
  loading: 'Memuat…',
  continueWith: 'Lanjutkan dengan Facebook',
  reconnectWith: 'Hubungkan lagi dengan Facebook',
  fullPage: 'Gunakan halaman penuh, bukan jendela pop-up',
  once: 'Tautan ini berlaku sekali, selama 10 menit.',
  connecting: 'Menghubungkan…',
  connectingText: 'Meta sedang ditanyai tentang nomor ini. Perlu beberapa detik.',
  connected: 'Terhubung',
  reconnected: 'Terhubung lagi',
  connectedText: '{number} mengirim dan menerima mulai sekarang. Anda dapat menutup jendela ini.',
  notConnected: 'Tidak terhubung',
  metaError: 'Meta melaporkan kesalahan',
  notFinished: 'Belum selesai',
  notFinishedText:
    'Jendela ditutup sebelum selesai. Tidak ada yang berubah; Anda dapat mencoba lagi.',
  noConnection: 'Tidak ada koneksi',
  noConnectionText: 'Gateway tidak menjawab. Periksa jaringan Anda dan minta tautan baru.',
  noScript: 'Skrip Meta tidak dapat dimuat',
  noScriptText:
    'Mungkin terhalang pemblokir di peramban ini. Halaman penuh di bawah bekerja tanpanya.',
}

export const pageWords: Record<Language, PageWords> = { en, es, pt, id }
