// Why a message did not arrive, and what to do: one text for each kind of failure (failures.ts), in four languages.
import { defineWords } from '../../../words/define.ts'

/** Who it was for, whose it was, and which template. */
export interface About {
  name: string
  firm: string
  template: string
}

type Text = (about: About) => string

const en = {
  windowClosed: ({ name }) =>
    `${name} last wrote more than 24 hours ago, so WhatsApp only takes a template.`,
  notReached: ({ name }) =>
    `WhatsApp could not reach ${name}’s phone. The number may not use WhatsApp, or the app is old. Send it again later, or call.`,
  tooManyToOne: ({ name }) =>
    `Too many messages to ${name} in a short time. Wait a moment, then send it again.`,
  accessLost: ({ firm }) =>
    `Meta no longer accepts ${firm}’s access. Messages wait and go out after you reconnect.`,
  permissionLost: ({ firm }) =>
    `${firm}’s access at Meta lacks a permission for this number. Reconnect and grant everything that is asked for.`,
  templateMissing: ({ template }) =>
    `${template} does not exist in this language at Meta, or is not approved yet. Choose another, or sync the templates.`,
  templateNotApproved: ({ template }) =>
    `Meta has not approved ${template}. Choose another template meanwhile.`,
  templateParameters: ({ template }) =>
    `What was filled into ${template} does not fit it. Check how many fields it has and what each takes, then send it anew.`,
  templateTooLong: ({ template }) =>
    `With what was filled in, ${template} is longer than WhatsApp takes. Shorten it, then send it anew.`,
  templatePolicy: ({ template }) =>
    `Meta found that ${template} breaks one of its policies. Choose another template.`,
  templatePaused: ({ template }) =>
    `Meta paused ${template} because recipients rated it poorly. It comes back by itself after some hours; choose another meanwhile.`,
  templateDisabled: ({ template }) =>
    `Meta switched ${template} off, or it is meant for something else. Choose another template.`,
  fileRefused: () =>
    'Meta does not take this file: its type, its size or a password on it. Attach another copy.',
  fileNotFetched: () =>
    'Meta could not fetch the file. Attach it again, or check that its link works for everybody.',
  fileGone: () => 'The file is no longer kept here. Attach it again.',
  kindNotTaken: ({ name }) =>
    `WhatsApp does not take this kind of message for ${name}. Write it as a text.`,
  marketingHeld: ({ name }) =>
    `Meta did not deliver this marketing message: ${name} has had enough of them lately. Wait at least a day; answers and other templates still arrive.`,
  experiment: ({ name }) =>
    `${name} is part of an experiment of Meta’s in which some people get no marketing messages. It is nothing you did.`,
  marketingStopped: ({ name }) =>
    `${name} has stopped marketing messages from you. Other messages still arrive.`,
  blockedByUs: ({ name, firm }) =>
    `${firm} has blocked ${name}. Unblock them first, in the WhatsApp Manager.`,
  suppressed: ({ name }) =>
    `${name} asked for no more messages, so this one was not sent. They can write again any time.`,
  spamLimited: ({ firm }) =>
    `Too many people blocked or reported ${firm}’s number, so Meta slows it down for hours or days. Send only what people expect.`,
  tooFast: ({ firm }) =>
    `${firm} sent faster than Meta allows, and this message ran out of tries. Send it again.`,
  accountLocked: ({ firm }) =>
    `Meta has locked ${firm}’s WhatsApp account. The reason, and how to appeal, is in Meta’s Business Support Home.`,
  accountBlocked: ({ firm }) =>
    `Meta has blocked ${firm} from sending for a while, for breaking a policy. See Meta’s Business Support Home.`,
  payment: ({ firm }) =>
    `Meta cannot bill ${firm}. Once its payment method is repaired at Meta, send this again.`,
  notRegistered: ({ firm }) =>
    `${firm}’s number is not ready at Meta: not registered, removed, or its name not approved. Reconnect it.`,
  toOurselves: () => 'This is the number it was sent from. A number cannot write to itself.',
  notInTestList: ({ name }) =>
    `This is a test number: it only writes to people on its list, and ${name} is not on it. Add them at Meta first.`,
  wrongParameter: () =>
    'Meta did not take one of the fields of this message. Its own words say which; write it anew.',
  country: ({ name, firm }) => `${firm} may not send to ${name}’s country, by Meta’s rules.`,
  identityChanged: ({ name }) =>
    `${name} has a new phone, or reinstalled WhatsApp. Make sure that it is still them, then send it again.`,
  metaTrouble: () => 'Meta had trouble, and this message ran out of tries. Send it again.',
  maintenance: () => 'Meta is working on the number. Send it again in some minutes.',
  expired: () => 'It could not leave before the time that was set for it, so it was not sent.',
  numberGone: ({ firm }) =>
    `The number it was to be sent from is no longer connected to ${firm}. Connect it again.`,
  ourKeys: () =>
    'The gateway cannot do its part at the moment: one of its own stores is locked or away. Its operator has to look.',
  notKnown: ({ name }) =>
    `Meta’s answer was lost, so nobody knows whether ${name} has this message. Sent again, it may arrive twice.`,
  refused: () => 'Meta refused this message, for a reason that is in its own words below.',
} satisfies Record<string, Text>

type Kinds = Record<keyof typeof en, Text>

const es: Kinds = {
  windowClosed: ({ name }) =>
    `${name} escribió hace más de 24 horas; WhatsApp solo acepta una plantilla.`,
  notReached: ({ name }) =>
    `WhatsApp no pudo llegar al teléfono de ${name}. Quizá no usa WhatsApp o su versión es antigua. Envíelo de nuevo más tarde, o llame.`,
  tooManyToOne: ({ name }) =>
    `Demasiados mensajes a ${name} en poco tiempo. Espere un momento y envíelo de nuevo.`,
  accessLost: ({ firm }) =>
    `Meta ya no acepta el acceso de ${firm}. Los mensajes esperan y salen al volver a conectar.`,
  permissionLost: ({ firm }) =>
    `Al acceso de ${firm} en Meta le falta un permiso para este número. Vuelva a conectar y conceda todo lo que se pide.`,
  templateMissing: ({ template }) =>
    `${template} no existe en este idioma en Meta o aún no está aprobada. Elija otra o sincronice las plantillas.`,
  templateNotApproved: ({ template }) =>
    `Meta no ha aprobado ${template}. Mientras tanto, elija otra plantilla.`,
  templateParameters: ({ template }) =>
    `Lo que se escribió en ${template} no encaja. Revise cuántos campos tiene y qué lleva cada uno, y envíela de nuevo.`,
  templateTooLong: ({ template }) =>
    `Con lo que se escribió, ${template} es más larga de lo que WhatsApp acepta. Acórtela y envíela de nuevo.`,
  templatePolicy: ({ template }) =>
    `Según Meta, ${template} incumple una de sus políticas. Elija otra plantilla.`,
  templatePaused: ({ template }) =>
    `Meta pausó ${template} porque los destinatarios la valoraron mal. Vuelve sola en unas horas; mientras tanto, elija otra.`,
  templateDisabled: ({ template }) =>
    `Meta desactivó ${template}, o sirve para otra cosa. Elija otra plantilla.`,
  fileRefused: () =>
    'Meta no acepta este archivo: por su tipo, su tamaño o una contraseña. Adjunte otra copia.',
  fileNotFetched: () =>
    'Meta no pudo descargar el archivo. Adjúntelo de nuevo, o compruebe que su enlace funcione para todos.',
  fileGone: () => 'El archivo ya no se guarda aquí. Adjúntelo de nuevo.',
  kindNotTaken: ({ name }) =>
    `WhatsApp no acepta este tipo de mensaje para ${name}. Escríbalo como texto.`,
  marketingHeld: ({ name }) =>
    `Meta no entregó este mensaje de marketing: ${name} ya recibió bastantes. Espere al menos un día; las respuestas y otras plantillas sí llegan.`,
  experiment: ({ name }) =>
    `${name} forma parte de un experimento de Meta en el que algunas personas no reciben marketing. No es por algo que usted hiciera.`,
  marketingStopped: ({ name }) =>
    `${name} dejó de recibir su marketing. Los demás mensajes sí llegan.`,
  blockedByUs: ({ name, firm }) =>
    `${firm} bloqueó a ${name}. Primero desbloquéelo en el Administrador de WhatsApp.`,
  suppressed: ({ name }) =>
    `${name} pidió no recibir más mensajes, así que este no se envió. Puede volver a escribir cuando quiera.`,
  spamLimited: ({ firm }) =>
    `Demasiadas personas bloquearon o denunciaron el número de ${firm}; Meta lo limita durante horas o días. Envíe solo lo que la gente espera.`,
  tooFast: ({ firm }) =>
    `${firm} envió más rápido de lo que Meta permite y este mensaje agotó sus intentos. Envíelo de nuevo.`,
  accountLocked: ({ firm }) =>
    `Meta bloqueó la cuenta de WhatsApp de ${firm}. El motivo y cómo apelar están en el Soporte para empresas de Meta.`,
  accountBlocked: ({ firm }) =>
    `Meta impide por un tiempo que ${firm} envíe, por incumplir una política. Vea el Soporte para empresas de Meta.`,
  payment: ({ firm }) =>
    `Meta no puede cobrar a ${firm}. Cuando se arregle el método de pago en Meta, envíelo de nuevo.`,
  notRegistered: ({ firm }) =>
    `El número de ${firm} no está listo en Meta: sin registrar, eliminado o con el nombre sin aprobar. Vuelva a conectarlo.`,
  toOurselves: () =>
    'Es el mismo número desde el que se envió. Un número no puede escribirse a sí mismo.',
  notInTestList: ({ name }) =>
    `Es un número de prueba: solo escribe a quien está en su lista, y ${name} no está. Agréguelo primero en Meta.`,
  wrongParameter: () =>
    'Meta no aceptó uno de los campos de este mensaje. Sus propias palabras dicen cuál; escríbalo de nuevo.',
  country: ({ name, firm }) =>
    `Según las reglas de Meta, ${firm} no puede enviar al país de ${name}.`,
  identityChanged: ({ name }) =>
    `${name} tiene otro teléfono o reinstaló WhatsApp. Compruebe que sigue siendo la misma persona y envíelo de nuevo.`,
  metaTrouble: () => 'Meta tuvo problemas y este mensaje agotó sus intentos. Envíelo de nuevo.',
  maintenance: () => 'Meta está trabajando en el número. Envíelo de nuevo en unos minutos.',
  expired: () => 'No pudo salir antes de la hora fijada, así que no se envió.',
  numberGone: ({ firm }) =>
    `El número desde el que debía salir ya no está conectado a ${firm}. Conéctelo de nuevo.`,
  ourKeys: () =>
    'La pasarela no puede hacer su parte ahora: uno de sus almacenes está cerrado o no responde. Su operador debe revisarlo.',
  notKnown: ({ name }) =>
    `La respuesta de Meta se perdió y no se sabe si ${name} tiene este mensaje. Si se envía de nuevo, puede llegar dos veces.`,
  refused: () => 'Meta rechazó este mensaje por un motivo que está abajo, en sus propias palabras.',
}

const pt: Kinds = {
  windowClosed: ({ name }) =>
    `${name} escreveu há mais de 24 horas; o WhatsApp só aceita um modelo.`,
  notReached: ({ name }) =>
    `O WhatsApp não alcançou o telefone de ${name}. Talvez não use WhatsApp ou a versão seja antiga. Envie de novo mais tarde, ou ligue.`,
  tooManyToOne: ({ name }) =>
    `Muitas mensagens para ${name} em pouco tempo. Espere um instante e envie de novo.`,
  accessLost: ({ firm }) =>
    `A Meta não aceita mais o acesso de ${firm}. As mensagens esperam e saem ao reconectar.`,
  permissionLost: ({ firm }) =>
    `Falta ao acesso de ${firm} na Meta uma permissão para este número. Reconecte e conceda tudo o que for pedido.`,
  templateMissing: ({ template }) =>
    `${template} não existe neste idioma na Meta ou ainda não foi aprovado. Escolha outro ou sincronize os modelos.`,
  templateNotApproved: ({ template }) =>
    `A Meta não aprovou ${template}. Enquanto isso, escolha outro modelo.`,
  templateParameters: ({ template }) =>
    `O que foi preenchido em ${template} não serve. Veja quantos campos ele tem e o que cada um recebe, e envie de novo.`,
  templateTooLong: ({ template }) =>
    `Com o que foi preenchido, ${template} passa do tamanho que o WhatsApp aceita. Encurte e envie de novo.`,
  templatePolicy: ({ template }) =>
    `Para a Meta, ${template} viola uma de suas políticas. Escolha outro modelo.`,
  templatePaused: ({ template }) =>
    `A Meta pausou ${template} porque os destinatários o avaliaram mal. Ele volta sozinho em algumas horas; escolha outro por enquanto.`,
  templateDisabled: ({ template }) =>
    `A Meta desativou ${template}, ou ele serve para outra coisa. Escolha outro modelo.`,
  fileRefused: () =>
    'A Meta não aceita este arquivo: pelo tipo, pelo tamanho ou por uma senha. Anexe outra cópia.',
  fileNotFetched: () =>
    'A Meta não conseguiu baixar o arquivo. Anexe de novo, ou confira se o link funciona para todos.',
  fileGone: () => 'O arquivo não está mais guardado aqui. Anexe de novo.',
  kindNotTaken: ({ name }) =>
    `O WhatsApp não aceita este tipo de mensagem para ${name}. Escreva como texto.`,
  marketingHeld: ({ name }) =>
    `A Meta não entregou esta mensagem de marketing: ${name} já recebeu muitas. Espere pelo menos um dia; respostas e outros modelos chegam normalmente.`,
  experiment: ({ name }) =>
    `${name} faz parte de um experimento da Meta em que algumas pessoas não recebem marketing. Não foi nada que você fez.`,
  marketingStopped: ({ name }) =>
    `${name} parou de receber seu marketing. As outras mensagens chegam normalmente.`,
  blockedByUs: ({ name, firm }) =>
    `${firm} bloqueou ${name}. Desbloqueie primeiro no Gerenciador do WhatsApp.`,
  suppressed: ({ name }) =>
    `${name} pediu para não receber mais mensagens, então esta não foi enviada. A pessoa pode voltar a escrever quando quiser.`,
  spamLimited: ({ firm }) =>
    `Muitas pessoas bloquearam ou denunciaram o número de ${firm}; a Meta o limita por horas ou dias. Envie só o que as pessoas esperam.`,
  tooFast: ({ firm }) =>
    `${firm} enviou mais rápido do que a Meta permite e esta mensagem esgotou as tentativas. Envie de novo.`,
  accountLocked: ({ firm }) =>
    `A Meta bloqueou a conta do WhatsApp de ${firm}. O motivo e como recorrer estão no Suporte para Empresas da Meta.`,
  accountBlocked: ({ firm }) =>
    `A Meta impede por um tempo que ${firm} envie, por violar uma política. Veja o Suporte para Empresas da Meta.`,
  payment: ({ firm }) =>
    `A Meta não consegue cobrar ${firm}. Quando a forma de pagamento for corrigida na Meta, envie de novo.`,
  notRegistered: ({ firm }) =>
    `O número de ${firm} não está pronto na Meta: sem registro, removido ou com o nome não aprovado. Reconecte-o.`,
  toOurselves: () => 'É o mesmo número que enviou. Um número não pode escrever para si mesmo.',
  notInTestList: ({ name }) =>
    `É um número de teste: só escreve para quem está na lista, e ${name} não está. Adicione primeiro na Meta.`,
  wrongParameter: () =>
    'A Meta não aceitou um dos campos desta mensagem. As palavras dela dizem qual; escreva de novo.',
  country: ({ name, firm }) =>
    `Pelas regras da Meta, ${firm} não pode enviar para o país de ${name}.`,
  identityChanged: ({ name }) =>
    `${name} trocou de telefone ou reinstalou o WhatsApp. Confirme que ainda é a mesma pessoa e envie de novo.`,
  metaTrouble: () => 'A Meta teve problemas e esta mensagem esgotou as tentativas. Envie de novo.',
  maintenance: () => 'A Meta está trabalhando no número. Envie de novo em alguns minutos.',
  expired: () => 'Não pôde sair antes da hora marcada, então não foi enviada.',
  numberGone: ({ firm }) =>
    `O número que ia enviar não está mais conectado a ${firm}. Conecte-o de novo.`,
  ourKeys: () =>
    'O gateway não consegue fazer sua parte agora: um de seus armazenamentos está trancado ou fora do ar. O operador precisa ver.',
  notKnown: ({ name }) =>
    `A resposta da Meta se perdeu e ninguém sabe se ${name} tem esta mensagem. Enviada de novo, pode chegar duas vezes.`,
  refused: () => 'A Meta recusou esta mensagem por um motivo que está abaixo, nas palavras dela.',
}

const id: Kinds = {
  windowClosed: ({ name }) =>
    `Pesan terakhir ${name} lebih dari 24 jam lalu; WhatsApp hanya menerima templat.`,
  notReached: ({ name }) =>
    `WhatsApp tidak dapat menjangkau ponsel ${name}. Mungkin nomornya tidak memakai WhatsApp atau aplikasinya lama. Kirim lagi nanti, atau telepon.`,
  tooManyToOne: ({ name }) =>
    `Terlalu banyak pesan ke ${name} dalam waktu singkat. Tunggu sebentar, lalu kirim lagi.`,
  accessLost: ({ firm }) =>
    `Meta tidak lagi menerima akses ${firm}. Pesan menunggu dan terkirim setelah dihubungkan lagi.`,
  permissionLost: ({ firm }) =>
    `Akses ${firm} di Meta kekurangan izin untuk nomor ini. Hubungkan lagi dan berikan semua yang diminta.`,
  templateMissing: ({ template }) =>
    `${template} tidak ada dalam bahasa ini di Meta atau belum disetujui. Pilih yang lain, atau sinkronkan templat.`,
  templateNotApproved: ({ template }) =>
    `Meta belum menyetujui ${template}. Sementara itu pilih templat lain.`,
  templateParameters: ({ template }) =>
    `Isian pada ${template} tidak cocok. Periksa ada berapa kolom dan isi masing-masing, lalu kirim ulang.`,
  templateTooLong: ({ template }) =>
    `Dengan isian itu, ${template} lebih panjang dari yang diterima WhatsApp. Persingkat, lalu kirim ulang.`,
  templatePolicy: ({ template }) =>
    `Menurut Meta, ${template} melanggar salah satu kebijakannya. Pilih templat lain.`,
  templatePaused: ({ template }) =>
    `Meta menjeda ${template} karena penilaian penerima buruk. Ia kembali sendiri setelah beberapa jam; sementara itu pilih yang lain.`,
  templateDisabled: ({ template }) =>
    `Meta menonaktifkan ${template}, atau templat itu untuk keperluan lain. Pilih templat lain.`,
  fileRefused: () =>
    'Meta tidak menerima berkas ini: karena jenis, ukuran, atau kata sandinya. Lampirkan salinan lain.',
  fileNotFetched: () =>
    'Meta tidak dapat mengambil berkas ini. Lampirkan lagi, atau pastikan tautannya bisa dibuka semua orang.',
  fileGone: () => 'Berkas ini sudah tidak disimpan di sini. Lampirkan lagi.',
  kindNotTaken: ({ name }) =>
    `WhatsApp tidak menerima jenis pesan ini untuk ${name}. Tulis sebagai teks.`,
  marketingHeld: ({ name }) =>
    `Meta tidak mengirim pesan pemasaran ini: ${name} sudah menerima cukup banyak. Tunggu setidaknya sehari; jawaban dan templat lain tetap sampai.`,
  experiment: ({ name }) =>
    `${name} ikut dalam percobaan Meta di mana sebagian orang tidak menerima pemasaran. Ini bukan karena Anda.`,
  marketingStopped: ({ name }) =>
    `${name} berhenti menerima pemasaran dari Anda. Pesan lain tetap sampai.`,
  blockedByUs: ({ name, firm }) =>
    `${firm} memblokir ${name}. Buka dulu blokirnya di WhatsApp Manager.`,
  suppressed: ({ name }) =>
    `${name} minta tidak dikirimi pesan lagi, jadi pesan ini tidak dikirim. Ia dapat menulis lagi kapan saja.`,
  spamLimited: ({ firm }) =>
    `Terlalu banyak orang memblokir atau melaporkan nomor ${firm}; Meta membatasinya berjam-jam atau berhari-hari. Kirim hanya yang diharapkan orang.`,
  tooFast: ({ firm }) =>
    `${firm} mengirim lebih cepat dari yang diizinkan Meta dan pesan ini kehabisan percobaan. Kirim lagi.`,
  accountLocked: ({ firm }) =>
    `Meta mengunci akun WhatsApp ${firm}. Alasan dan cara banding ada di Business Support Home Meta.`,
  accountBlocked: ({ firm }) =>
    `Meta melarang ${firm} mengirim untuk sementara karena melanggar kebijakan. Lihat Business Support Home Meta.`,
  payment: ({ firm }) =>
    `Meta tidak dapat menagih ${firm}. Setelah metode pembayarannya diperbaiki di Meta, kirim lagi.`,
  notRegistered: ({ firm }) =>
    `Nomor ${firm} belum siap di Meta: belum terdaftar, dihapus, atau namanya belum disetujui. Hubungkan lagi.`,
  toOurselves: () =>
    'Ini nomor pengirimnya sendiri. Sebuah nomor tidak dapat menulis ke dirinya sendiri.',
  notInTestList: ({ name }) =>
    `Ini nomor uji: hanya menulis ke orang dalam daftarnya, dan ${name} tidak ada di sana. Tambahkan dulu di Meta.`,
  wrongParameter: () =>
    'Meta tidak menerima salah satu isian pesan ini. Kata-katanya sendiri menyebut yang mana; tulis ulang.',
  country: ({ name, firm }) =>
    `Menurut aturan Meta, ${firm} tidak boleh mengirim ke negara ${name}.`,
  identityChanged: ({ name }) =>
    `${name} berganti ponsel atau memasang ulang WhatsApp. Pastikan itu masih orangnya, lalu kirim lagi.`,
  metaTrouble: () => 'Meta sedang bermasalah dan pesan ini kehabisan percobaan. Kirim lagi.',
  maintenance: () => 'Meta sedang mengerjakan nomor ini. Kirim lagi beberapa menit lagi.',
  expired: () => 'Pesan ini tidak sempat keluar sebelum waktu yang ditetapkan, jadi tidak dikirim.',
  numberGone: ({ firm }) => `Nomor pengirimnya sudah tidak terhubung ke ${firm}. Hubungkan lagi.`,
  ourKeys: () =>
    'Gateway sedang tidak dapat bekerja: salah satu penyimpanannya terkunci atau tidak menjawab. Operatornya perlu memeriksa.',
  notKnown: ({ name }) =>
    `Jawaban Meta hilang, jadi tidak ada yang tahu apakah ${name} menerima pesan ini. Jika dikirim lagi, bisa sampai dua kali.`,
  refused: () => 'Meta menolak pesan ini karena alasan di bawah, dengan kata-katanya sendiri.',
}

export const failureWords = defineWords<Kinds>({ en, es, pt, id })
