// Why something failed and what to do about it: a title and an action for each class, a sentence for each code.
import { defineWords } from '../../words/define.ts'

/** `title`: what it is. `act`: what to do, in a table's cell. `why`: in a sentence, where the code has none of its own. */
export const reasonWords = defineWords({
  en: {
    window: {
      title: 'Window closed',
      act: 'Send a template',
      why: 'The last message of this contact is more than 24 hours old, so WhatsApp only takes a template.',
    },
    template: {
      title: 'Template',
      act: 'Mend the template, requeue',
      why: 'Meta does not take the template as it was sent.',
    },
    media: {
      title: 'File',
      act: 'Replace the file',
      why: 'Meta could not fetch the file, or does not take its format or size.',
    },
    content: {
      title: 'Message',
      act: 'Correct it and send anew',
      why: 'Meta refuses something in the message itself.',
    },
    recipient: {
      title: 'Recipient',
      act: 'Ask for another number',
      why: 'WhatsApp cannot or may not deliver to this contact.',
    },
    consent: {
      title: 'Opted out',
      act: 'Leave it, discard',
      why: 'This contact wants no such messages. Nothing is sent until they ask for them again.',
    },
    account: {
      title: 'Account',
      act: 'Mend the account, requeue',
      why: 'The number or its account at Meta has something to repair first.',
    },
    limits: {
      title: 'Limit',
      act: 'Wait, then requeue',
      why: 'Meta limits how much may be sent, and the limit outlasted every try.',
    },
    expired: {
      title: 'Too late',
      act: 'Discard, or send anew',
      why: 'It could not be sent before the time after which nobody wants it.',
    },
    tries: {
      title: 'Tries used up',
      act: 'Requeue',
      why: 'Meta had trouble at every try. If the trouble is over, sending it again works.',
    },
    refused: {
      title: 'Refused',
      act: 'Read Meta’s words',
      why: 'Meta refused it without a reason that is known here. Its own words are below.',
    },
    unknown: {
      title: 'Not known',
      act: 'Check, then mark sent',
      why: 'The answer was lost on its way, so Meta may have the message or not. No sign of delivery came.',
    },
    processing: {
      title: 'Not applied',
      act: 'Process again',
      why: 'It came in, but could not be applied here. Nothing of it is lost.',
    },
    malformed: {
      title: 'Unreadable',
      act: 'Read, then discard',
      why: 'What came in is not what Meta describes, so it cannot be applied.',
    },
    unroutable: {
      title: 'No owner',
      act: 'Connect the number, then process',
      why: 'It came for a number that no tenant has connected.',
    },
  },
  es: {
    window: {
      title: 'Ventana cerrada',
      act: 'Enviar una plantilla',
      why: 'El último mensaje de este contacto tiene más de 24 horas; WhatsApp solo acepta una plantilla.',
    },
    template: {
      title: 'Plantilla',
      act: 'Corregir la plantilla y reencolar',
      why: 'Meta no acepta la plantilla tal como se envió.',
    },
    media: {
      title: 'Archivo',
      act: 'Cambiar el archivo',
      why: 'Meta no pudo obtener el archivo, o no acepta su formato o tamaño.',
    },
    content: {
      title: 'Mensaje',
      act: 'Corregirlo y enviarlo de nuevo',
      why: 'Meta rechaza algo del propio mensaje.',
    },
    recipient: {
      title: 'Destinatario',
      act: 'Pedir otro número',
      why: 'WhatsApp no puede entregar a este contacto, o no debe.',
    },
    consent: {
      title: 'Dado de baja',
      act: 'Dejarlo y descartar',
      why: 'Este contacto no quiere estos mensajes. No se envía nada hasta que los pida otra vez.',
    },
    account: {
      title: 'Cuenta',
      act: 'Arreglar la cuenta y reencolar',
      why: 'Antes hay que arreglar algo del número o de su cuenta en Meta.',
    },
    limits: {
      title: 'Límite',
      act: 'Esperar y reencolar',
      why: 'Meta limita cuánto se envía, y el límite duró más que todos los intentos.',
    },
    expired: {
      title: 'Tarde',
      act: 'Descartar o enviar de nuevo',
      why: 'No se pudo enviar antes de la hora a partir de la cual ya no sirve.',
    },
    tries: {
      title: 'Intentos agotados',
      act: 'Reencolar',
      why: 'Meta tuvo problemas en cada intento. Si ya pasaron, enviarlo de nuevo funciona.',
    },
    refused: {
      title: 'Rechazado',
      act: 'Leer lo que dice Meta',
      why: 'Meta lo rechazó por un motivo que aquí no se conoce. Abajo están sus propias palabras.',
    },
    unknown: {
      title: 'Sin saber',
      act: 'Comprobar y marcar enviado',
      why: 'La respuesta se perdió en el camino: Meta puede tener el mensaje o no. No llegó señal de entrega.',
    },
    processing: {
      title: 'Sin aplicar',
      act: 'Procesar de nuevo',
      why: 'Llegó, pero no se pudo aplicar aquí. No se ha perdido nada.',
    },
    malformed: {
      title: 'Ilegible',
      act: 'Leer y descartar',
      why: 'Lo que llegó no es lo que Meta describe, así que no se puede aplicar.',
    },
    unroutable: {
      title: 'Sin dueño',
      act: 'Conectar el número y procesar',
      why: 'Llegó para un número que ningún cliente ha conectado.',
    },
  },
  pt: {
    window: {
      title: 'Janela fechada',
      act: 'Enviar um modelo',
      why: 'A última mensagem deste contato tem mais de 24 horas; o WhatsApp só aceita um modelo.',
    },
    template: {
      title: 'Modelo',
      act: 'Corrigir o modelo e reenfileirar',
      why: 'A Meta não aceita o modelo como foi enviado.',
    },
    media: {
      title: 'Arquivo',
      act: 'Trocar o arquivo',
      why: 'A Meta não conseguiu buscar o arquivo, ou não aceita o formato ou o tamanho.',
    },
    content: {
      title: 'Mensagem',
      act: 'Corrigir e enviar outra',
      why: 'A Meta recusa algo na própria mensagem.',
    },
    recipient: {
      title: 'Destinatário',
      act: 'Pedir outro número',
      why: 'O WhatsApp não consegue ou não pode entregar a este contato.',
    },
    consent: {
      title: 'Descadastrado',
      act: 'Deixar e descartar',
      why: 'Este contato não quer estas mensagens. Nada é enviado até que ele peça de novo.',
    },
    account: {
      title: 'Conta',
      act: 'Consertar a conta e reenfileirar',
      why: 'Antes é preciso consertar algo no número ou na conta dele na Meta.',
    },
    limits: {
      title: 'Limite',
      act: 'Esperar e reenfileirar',
      why: 'A Meta limita quanto se envia, e o limite durou mais que todas as tentativas.',
    },
    expired: {
      title: 'Tarde demais',
      act: 'Descartar ou enviar outra',
      why: 'Não foi possível enviar antes da hora a partir da qual ninguém mais a quer.',
    },
    tries: {
      title: 'Tentativas esgotadas',
      act: 'Reenfileirar',
      why: 'A Meta teve problemas em todas as tentativas. Se já passaram, enviar de novo funciona.',
    },
    refused: {
      title: 'Recusada',
      act: 'Ler o que a Meta diz',
      why: 'A Meta recusou sem um motivo conhecido aqui. As palavras dela estão abaixo.',
    },
    unknown: {
      title: 'Não se sabe',
      act: 'Conferir e marcar enviada',
      why: 'A resposta se perdeu no caminho: a Meta pode ter a mensagem ou não. Nenhum sinal de entrega chegou.',
    },
    processing: {
      title: 'Não aplicada',
      act: 'Processar de novo',
      why: 'Chegou, mas não pôde ser aplicada aqui. Nada dela se perdeu.',
    },
    malformed: {
      title: 'Ilegível',
      act: 'Ler e descartar',
      why: 'O que chegou não é o que a Meta descreve, então não pode ser aplicado.',
    },
    unroutable: {
      title: 'Sem dono',
      act: 'Conectar o número e processar',
      why: 'Chegou para um número que nenhum cliente conectou.',
    },
  },
  id: {
    window: {
      title: 'Jendela tutup',
      act: 'Kirim templat',
      why: 'Pesan terakhir kontak ini lebih dari 24 jam lalu; WhatsApp hanya menerima templat.',
    },
    template: {
      title: 'Templat',
      act: 'Perbaiki templat, antrekan lagi',
      why: 'Meta tidak menerima templat seperti yang dikirim.',
    },
    media: {
      title: 'Berkas',
      act: 'Ganti berkas',
      why: 'Meta tidak dapat mengambil berkas, atau tidak menerima format atau ukurannya.',
    },
    content: {
      title: 'Pesan',
      act: 'Perbaiki dan kirim yang baru',
      why: 'Meta menolak sesuatu di dalam pesan itu sendiri.',
    },
    recipient: {
      title: 'Penerima',
      act: 'Minta nomor lain',
      why: 'WhatsApp tidak dapat atau tidak boleh mengirim ke kontak ini.',
    },
    consent: {
      title: 'Berhenti langganan',
      act: 'Biarkan, buang',
      why: 'Kontak ini tidak mau pesan seperti ini. Tidak ada yang dikirim sampai ia memintanya lagi.',
    },
    account: {
      title: 'Akun',
      act: 'Perbaiki akun, antrekan lagi',
      why: 'Nomor atau akunnya di Meta harus diperbaiki dulu.',
    },
    limits: {
      title: 'Batas',
      act: 'Tunggu, lalu antrekan lagi',
      why: 'Meta membatasi jumlah kiriman, dan batas itu lebih lama dari semua percobaan.',
    },
    expired: {
      title: 'Terlambat',
      act: 'Buang, atau kirim yang baru',
      why: 'Tidak dapat dikirim sebelum waktunya habis.',
    },
    tries: {
      title: 'Percobaan habis',
      act: 'Antrekan lagi',
      why: 'Meta bermasalah di setiap percobaan. Bila sudah pulih, mengirim lagi akan berhasil.',
    },
    refused: {
      title: 'Ditolak',
      act: 'Baca kata-kata Meta',
      why: 'Meta menolaknya tanpa alasan yang dikenal di sini. Kata-katanya ada di bawah.',
    },
    unknown: {
      title: 'Tidak diketahui',
      act: 'Periksa, lalu tandai terkirim',
      why: 'Jawabannya hilang di jalan: Meta mungkin punya pesannya, mungkin tidak. Tidak ada tanda pengiriman.',
    },
    processing: {
      title: 'Belum diterapkan',
      act: 'Proses lagi',
      why: 'Sudah masuk, tetapi tidak dapat diterapkan di sini. Tidak ada yang hilang.',
    },
    malformed: {
      title: 'Tak terbaca',
      act: 'Baca, lalu buang',
      why: 'Yang masuk bukan seperti yang dijelaskan Meta, jadi tidak dapat diterapkan.',
    },
    unroutable: {
      title: 'Tanpa pemilik',
      act: 'Hubungkan nomornya, lalu proses',
      why: 'Masuk untuk nomor yang tidak dihubungkan klien mana pun.',
    },
  },
})
