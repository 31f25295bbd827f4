// Each finding of the doctor in a sentence, with what to do about it.
import { defineWords } from '../../words/define.ts'

/** What a sentence may name, ready to be read; empty where it is not known. */
export interface Facts {
  at: string
  until: string
  code: string
  host: string
  ours: string
  people: string
  perSecond: string
}

export const findingWords = defineWords({
  en: {
    token_ok: (f: Facts) =>
      f.until
        ? `Meta accepts our access until ${f.until}.`
        : 'Meta accepts our access. It has no end.',
    token_expires_soon: (f: Facts) => `Our access ends ${f.at}. Reconnect before then.`,
    token_refused: () => 'Meta no longer accepts our access. Messages wait until you reconnect.',
    access_lost: () => 'The business took our access away. Messages wait until you reconnect.',
    token_sealed: () =>
      'The stored access cannot be read. An operator must put its key back, or you reconnect.',
    token_of_other_app: () =>
      'The access belongs to another Meta app, so Meta does not tell us about it. Reconnect to use this one.',
    token_not_told: (f: Facts) =>
      `Meta did not tell about the access (code ${f.code}). An operator should look at META_APP_ID and META_APP_SECRET.`,
    meta_unreachable: (f: Facts) => `Meta did not answer (${f.code}). Try again in a moment.`,
    not_known: () => 'Asked again once Meta accepts our access.',
    permissions_ok: () => 'Messages and templates are both permitted.',
    messaging_not_permitted: () =>
      'The access does not permit messages. Reconnect and leave every permission switched on.',
    templates_not_permitted: () =>
      'Messages go on, but templates cannot be managed. Reconnect and leave every permission switched on.',
    subscribed: () => 'Estafet hears of everything that comes in.',
    not_subscribed: () => 'The WhatsApp account is not subscribed to our app, so nothing comes in.',
    callback_ok: () => 'Messages come to this gateway.',
    no_callback: (f: Facts) =>
      `The Meta app has no callback address, so nothing comes in. Set ${f.ours} in its dashboard.`,
    callback_elsewhere: (f: Facts) => `Messages go to ${f.host} instead of this gateway.`,
    registered: () => 'The number is registered with WhatsApp.',
    not_registered: () => 'The number is not registered with WhatsApp, so nothing can be sent.',
    number_not_shown: () =>
      'Meta does not show us this number: it was deleted, or moved to another account. Reconnect it.',
    phone_disconnected: () =>
      'The WhatsApp Business app on the phone is disconnected. Open it there and connect it again.',
    standing_ok: () => 'Meta has nothing against the account.',
    banned: () => 'Meta disabled the WhatsApp account. WhatsApp Manager says what it asks for.',
    review_rejected: () =>
      'Meta’s review rejected the WhatsApp account. WhatsApp Manager says what it asks for.',
    restricted: (f: Facts) =>
      f.until
        ? `Meta restricts the account: nothing is sent until ${f.until}.`
        : 'Meta restricts the account: nothing is sent until it says otherwise.',
    sending_blocked: () =>
      'Meta does not let the account send. WhatsApp Manager says what it asks for.',
    replies_only: (f: Facts) =>
      `Until ${f.until} people can be answered, but not written to first.`,
    sending_limited: () => 'Meta limits what the account can send. WhatsApp Manager says why.',
    quality_high: () => 'High.',
    quality_medium: () =>
      'Medium: some people block or report. Write only to those who agreed, and make it easy to stop.',
    quality_low: () =>
      'Low: many people block or report. Write only to those who agreed, and make it easy to stop.',
    quality_none: () => 'Meta has no rating yet.',
    limit_known: (f: Facts) =>
      f.people
        ? `${f.people} people can be written to first in 24 hours.`
        : 'As many people as you like can be written to first.',
    limit_not_told: () => 'Meta does not tell the limit. Look again later.',
    throughput_known: (f: Facts) => `Up to ${f.perSecond} messages a second, in and out together.`,
    inbound_seen: (f: Facts) => `Somebody last wrote ${f.at}.`,
    inbound_never: () =>
      'Nobody has written to this number yet. Write to it from a phone; it shows within seconds.',
  },
  es: {
    token_ok: (f) =>
      f.until
        ? `Meta acepta nuestro acceso hasta ${f.until}.`
        : 'Meta acepta nuestro acceso. No termina.',
    token_expires_soon: (f) => `Nuestro acceso termina ${f.at}. Vuelva a conectar antes.`,
    token_refused: () =>
      'Meta ya no acepta nuestro acceso. Los mensajes esperan hasta que vuelva a conectar.',
    access_lost: () =>
      'La empresa nos retiró el acceso. Los mensajes esperan hasta que vuelva a conectar.',
    token_sealed: () =>
      'No se puede leer el acceso guardado. Un operador debe reponer su clave, o vuelva a conectar.',
    token_of_other_app: () =>
      'El acceso es de otra aplicación de Meta y Meta no nos informa de él. Vuelva a conectar para usar esta.',
    token_not_told: (f) =>
      `Meta no informó del acceso (código ${f.code}). Un operador debería revisar META_APP_ID y META_APP_SECRET.`,
    meta_unreachable: (f) => `Meta no respondió (${f.code}). Intente de nuevo en un momento.`,
    not_known: () => 'Se pregunta de nuevo cuando Meta acepte nuestro acceso.',
    permissions_ok: () => 'Se permiten mensajes y plantillas.',
    messaging_not_permitted: () =>
      'El acceso no permite mensajes. Vuelva a conectar y deje activados todos los permisos.',
    templates_not_permitted: () =>
      'Los mensajes siguen, pero no se pueden administrar plantillas. Vuelva a conectar y deje activados todos los permisos.',
    subscribed: () => 'Estafet se entera de todo lo que llega.',
    not_subscribed: () =>
      'La cuenta de WhatsApp no está suscrita a nuestra aplicación, así que no llega nada.',
    callback_ok: () => 'Los mensajes llegan a esta pasarela.',
    no_callback: (f) =>
      `La aplicación de Meta no tiene dirección de entrega, así que no llega nada. Ponga ${f.ours} en su panel.`,
    callback_elsewhere: (f) => `Los mensajes van a ${f.host} en vez de a esta pasarela.`,
    registered: () => 'El número está registrado en WhatsApp.',
    not_registered: () =>
      'El número no está registrado en WhatsApp, así que no se puede enviar nada.',
    number_not_shown: () =>
      'Meta no nos muestra este número: se eliminó o pasó a otra cuenta. Vuelva a conectarlo.',
    phone_disconnected: () =>
      'La app WhatsApp Business del teléfono está desconectada. Ábrala allí y vuelva a conectarla.',
    standing_ok: () => 'Meta no tiene nada contra la cuenta.',
    banned: () => 'Meta inhabilitó la cuenta de WhatsApp. WhatsApp Manager dice qué pide.',
    review_rejected: () =>
      'La revisión de Meta rechazó la cuenta de WhatsApp. WhatsApp Manager dice qué pide.',
    restricted: (f) =>
      f.until
        ? `Meta restringe la cuenta: no se envía nada hasta ${f.until}.`
        : 'Meta restringe la cuenta: no se envía nada hasta que diga otra cosa.',
    sending_blocked: () => 'Meta no deja enviar a la cuenta. WhatsApp Manager dice qué pide.',
    replies_only: (f) =>
      `Hasta ${f.until} se puede responder a las personas, pero no escribirles primero.`,
    sending_limited: () =>
      'Meta limita lo que la cuenta puede enviar. WhatsApp Manager dice por qué.',
    quality_high: () => 'Alta.',
    quality_medium: () =>
      'Media: algunas personas bloquean o denuncian. Escriba solo a quienes aceptaron y facilite la baja.',
    quality_low: () =>
      'Baja: muchas personas bloquean o denuncian. Escriba solo a quienes aceptaron y facilite la baja.',
    quality_none: () => 'Meta aún no la ha valorado.',
    limit_known: (f) =>
      f.people
        ? `Se puede escribir primero a ${f.people} personas en 24 horas.`
        : 'Se puede escribir primero a cuantas personas quiera.',
    limit_not_told: () => 'Meta no dice el límite. Mírelo más tarde.',
    throughput_known: (f) =>
      `Hasta ${f.perSecond} mensajes por segundo, entre recibidos y enviados.`,
    inbound_seen: (f) => `La última vez que alguien escribió: ${f.at}.`,
    inbound_never: () =>
      'Nadie ha escrito aún a este número. Escríbale desde un teléfono; aparece en segundos.',
  },
  pt: {
    token_ok: (f) =>
      f.until
        ? `A Meta aceita nosso acesso até ${f.until}.`
        : 'A Meta aceita nosso acesso. Ele não tem prazo.',
    token_expires_soon: (f) => `Nosso acesso termina ${f.at}. Reconecte antes disso.`,
    token_refused: () =>
      'A Meta não aceita mais nosso acesso. As mensagens esperam até você reconectar.',
    access_lost: () => 'A empresa retirou nosso acesso. As mensagens esperam até você reconectar.',
    token_sealed: () =>
      'O acesso guardado não pode ser lido. Um operador deve repor a chave, ou você reconecta.',
    token_of_other_app: () =>
      'O acesso é de outro aplicativo da Meta, que por isso não nos fala dele. Reconecte para usar este.',
    token_not_told: (f) =>
      `A Meta não falou do acesso (código ${f.code}). Um operador deve conferir META_APP_ID e META_APP_SECRET.`,
    meta_unreachable: (f) => `A Meta não respondeu (${f.code}). Tente de novo em instantes.`,
    not_known: () => 'Perguntado de novo quando a Meta aceitar nosso acesso.',
    permissions_ok: () => 'Mensagens e modelos são permitidos.',
    messaging_not_permitted: () =>
      'O acesso não permite mensagens. Reconecte e deixe ativadas todas as permissões.',
    templates_not_permitted: () =>
      'As mensagens seguem, mas os modelos não podem ser gerenciados. Reconecte e deixe ativadas todas as permissões.',
    subscribed: () => 'O Estafet fica sabendo de tudo o que chega.',
    not_subscribed: () =>
      'A conta do WhatsApp não está inscrita no nosso aplicativo, então nada chega.',
    callback_ok: () => 'As mensagens chegam a este gateway.',
    no_callback: (f) =>
      `O aplicativo da Meta não tem endereço de entrega, então nada chega. Defina ${f.ours} no painel dele.`,
    callback_elsewhere: (f) => `As mensagens vão para ${f.host} em vez deste gateway.`,
    registered: () => 'O número está registrado no WhatsApp.',
    not_registered: () => 'O número não está registrado no WhatsApp, então nada pode ser enviado.',
    number_not_shown: () =>
      'A Meta não nos mostra este número: foi apagado ou passou para outra conta. Reconecte-o.',
    phone_disconnected: () =>
      'O app WhatsApp Business do telefone está desconectado. Abra-o lá e conecte-o de novo.',
    standing_ok: () => 'A Meta não tem nada contra a conta.',
    banned: () => 'A Meta desativou a conta do WhatsApp. O WhatsApp Manager diz o que ela pede.',
    review_rejected: () =>
      'A análise da Meta rejeitou a conta do WhatsApp. O WhatsApp Manager diz o que ela pede.',
    restricted: (f) =>
      f.until
        ? `A Meta restringe a conta: nada é enviado até ${f.until}.`
        : 'A Meta restringe a conta: nada é enviado até ela dizer outra coisa.',
    sending_blocked: () =>
      'A Meta não deixa a conta enviar. O WhatsApp Manager diz o que ela pede.',
    replies_only: (f) =>
      `Até ${f.until} é possível responder às pessoas, mas não escrever primeiro.`,
    sending_limited: () =>
      'A Meta limita o que a conta pode enviar. O WhatsApp Manager diz por quê.',
    quality_high: () => 'Alta.',
    quality_medium: () =>
      'Média: algumas pessoas bloqueiam ou denunciam. Escreva só a quem aceitou e facilite a saída.',
    quality_low: () =>
      'Baixa: muitas pessoas bloqueiam ou denunciam. Escreva só a quem aceitou e facilite a saída.',
    quality_none: () => 'A Meta ainda não avaliou.',
    limit_known: (f) =>
      f.people
        ? `É possível escrever primeiro a ${f.people} pessoas em 24 horas.`
        : 'É possível escrever primeiro a quantas pessoas você quiser.',
    limit_not_told: () => 'A Meta não diz o limite. Olhe mais tarde.',
    throughput_known: (f) => `Até ${f.perSecond} mensagens por segundo, recebidas e enviadas.`,
    inbound_seen: (f) => `A última vez que alguém escreveu: ${f.at}.`,
    inbound_never: () =>
      'Ninguém escreveu a este número ainda. Escreva de um telefone; aparece em segundos.',
  },
  id: {
    token_ok: (f) =>
      f.until
        ? `Meta menerima akses kita sampai ${f.until}.`
        : 'Meta menerima akses kita, tanpa batas waktu.',
    token_expires_soon: (f) => `Akses kita berakhir ${f.at}. Hubungkan lagi sebelum itu.`,
    token_refused: () =>
      'Meta tidak lagi menerima akses kita. Pesan menunggu sampai dihubungkan lagi.',
    access_lost: () => 'Bisnis itu mencabut akses kita. Pesan menunggu sampai dihubungkan lagi.',
    token_sealed: () =>
      'Akses yang tersimpan tidak terbaca. Operator harus mengembalikan kuncinya, atau hubungkan lagi.',
    token_of_other_app: () =>
      'Akses ini milik aplikasi Meta lain, jadi Meta tidak memberi tahu kita. Hubungkan lagi untuk memakai yang ini.',
    token_not_told: (f) =>
      `Meta tidak memberi tahu tentang akses (kode ${f.code}). Operator sebaiknya memeriksa META_APP_ID dan META_APP_SECRET.`,
    meta_unreachable: (f) => `Meta tidak menjawab (${f.code}). Coba lagi sebentar lagi.`,
    not_known: () => 'Ditanyakan lagi setelah Meta menerima akses kita.',
    permissions_ok: () => 'Pesan dan templat diizinkan.',
    messaging_not_permitted: () =>
      'Akses ini tidak mengizinkan pesan. Hubungkan lagi dan biarkan semua izin aktif.',
    templates_not_permitted: () =>
      'Pesan tetap jalan, tetapi templat tidak dapat dikelola. Hubungkan lagi dan biarkan semua izin aktif.',
    subscribed: () => 'Estafet mendengar semua yang masuk.',
    not_subscribed: () =>
      'Akun WhatsApp ini tidak berlangganan aplikasi kita, jadi tidak ada yang masuk.',
    callback_ok: () => 'Pesan datang ke gateway ini.',
    no_callback: (f) =>
      `Aplikasi Meta tidak punya alamat tujuan, jadi tidak ada yang masuk. Atur ${f.ours} di dasbornya.`,
    callback_elsewhere: (f) => `Pesan pergi ke ${f.host}, bukan ke gateway ini.`,
    registered: () => 'Nomor ini terdaftar di WhatsApp.',
    not_registered: () =>
      'Nomor ini belum terdaftar di WhatsApp, jadi tidak ada yang dapat dikirim.',
    number_not_shown: () =>
      'Meta tidak menunjukkan nomor ini: sudah dihapus atau pindah ke akun lain. Hubungkan lagi.',
    phone_disconnected: () =>
      'Aplikasi WhatsApp Business di ponsel terputus. Buka di sana dan hubungkan lagi.',
    standing_ok: () => 'Meta tidak mempermasalahkan akun ini.',
    banned: () =>
      'Meta menonaktifkan akun WhatsApp ini. WhatsApp Manager menyebut apa yang diminta.',
    review_rejected: () =>
      'Peninjauan Meta menolak akun WhatsApp ini. WhatsApp Manager menyebut apa yang diminta.',
    restricted: (f) =>
      f.until
        ? `Meta membatasi akun ini: tidak ada yang dikirim sampai ${f.until}.`
        : 'Meta membatasi akun ini: tidak ada yang dikirim sampai ada kabar lain.',
    sending_blocked: () =>
      'Meta tidak mengizinkan akun ini mengirim. WhatsApp Manager menyebut apa yang diminta.',
    replies_only: (f) =>
      `Sampai ${f.until} orang dapat dibalas, tetapi tidak dapat dihubungi lebih dulu.`,
    sending_limited: () =>
      'Meta membatasi apa yang dapat dikirim akun ini. WhatsApp Manager menyebut alasannya.',
    quality_high: () => 'Tinggi.',
    quality_medium: () =>
      'Sedang: sebagian orang memblokir atau melapor. Tulislah hanya kepada yang setuju, dan permudah berhenti.',
    quality_low: () =>
      'Rendah: banyak orang memblokir atau melapor. Tulislah hanya kepada yang setuju, dan permudah berhenti.',
    quality_none: () => 'Meta belum memberi nilai.',
    limit_known: (f) =>
      f.people
        ? `${f.people} orang dapat dihubungi lebih dulu dalam 24 jam.`
        : 'Berapa pun orang dapat dihubungi lebih dulu.',
    limit_not_told: () => 'Meta tidak menyebut batasnya. Lihat lagi nanti.',
    throughput_known: (f) => `Sampai ${f.perSecond} pesan per detik, masuk dan keluar.`,
    inbound_seen: (f) => `Terakhir kali ada yang menulis: ${f.at}.`,
    inbound_never: () =>
      'Belum ada yang menulis ke nomor ini. Tulislah dari ponsel; tampil dalam hitungan detik.',
  },
})
