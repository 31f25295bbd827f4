// Why a sign-up ended without a connected number, for people who read another language than the API's.
import type { Refusal } from './refusals.ts'
import type { Language } from './words.ts'

export type RefusalWords = Record<Refusal | 'SIGNUP_NOT_CONFIGURED', string>

const es: RefusalWords = {
  STATE_MISSING:
    'Esta dirección solo sirve como final de una conexión. Empiece de nuevo desde su aplicación.',
  STATE_INVALID: 'Nadie empezó aquí esta conexión. Empiece de nuevo desde su aplicación.',
  STATE_EXPIRED:
    'Esta conexión se empezó hace más de 10 minutos. Empiece de nuevo desde su aplicación.',
  STATE_USED: 'Esta conexión ya se terminó o se intentó. Empiece de nuevo desde su aplicación.',
  STATE_FOREIGN: 'Otra persona empezó esta conexión. Empiece una propia.',
  CODE_MISSING: 'Meta no dio ningún código. Repita la conexión.',
  SIGNUP_DENIED: 'La conexión se canceló en Meta. Repítala y acepte.',
  CODE_EXPIRED:
    'El código de Meta vive 30 segundos y ya habían pasado. Empiece de nuevo desde su aplicación.',
  CODE_USED: 'El código de Meta ya se había usado. Empiece de nuevo desde su aplicación.',
  CODE_INVALID:
    'Meta no conoce el código, o lo hizo para otra aplicación. Empiece de nuevo desde su aplicación.',
  APP_REFUSED:
    'Meta no acepta la aplicación de esta pasarela. El operador debe revisar META_APP_ID y META_APP_SECRET.',
  META_UNREACHABLE: 'Meta no respondió. Espere un momento y empiece de nuevo desde su aplicación.',
  META_REFUSED: 'Meta rechazó un paso de la conexión. Empiece de nuevo desde su aplicación.',
  TOKEN_INVALID: 'El token de acceso de Meta no es válido. Empiece de nuevo desde su aplicación.',
  APP_MISMATCH:
    'El acceso se dio a otra aplicación que la de esta pasarela. Empiece de nuevo desde su aplicación.',
  SCOPES_MISSING:
    'No se dieron todos los permisos. Empiece de nuevo y deje activados todos los que se piden.',
  WABA_NOT_GRANTED:
    'El acceso que se dio no incluye esta cuenta de WhatsApp. Empiece de nuevo y elíjala.',
  NUMBER_NOT_GRANTED:
    'No es un número de la cuenta de WhatsApp elegida. Empiece de nuevo desde su aplicación.',
  NUMBER_MISSING:
    'La cuenta de WhatsApp aún no tiene ningún número. Añada uno en WhatsApp Manager, o empiece de nuevo y añádalo allí.',
  NUMBER_CHOICE_NEEDED:
    'La cuenta de WhatsApp tiene varios números y no se indicó ninguno. Empiece de nuevo y use la ventana emergente, que nos dice cuál elige.',
  ACCOUNT_MISMATCH:
    'Se eligió otro número que el que se quería volver a conectar. Empiece de nuevo y elija ese.',
  NUMBER_TAKEN:
    'Este número está conectado en otro lugar. Hay que desconectarlo allí antes de conectarlo aquí.',
  SUBSCRIBE_FAILED:
    'Meta aún no nos entrega los mensajes de esta cuenta. Empiece de nuevo desde su aplicación.',
  NUMBER_UNVERIFIED:
    'El número aún no está verificado. Introduzca el código de Meta en WhatsApp Manager y empiece de nuevo.',
  PIN_UNKNOWN:
    'El número tiene un PIN de verificación en dos pasos que no conocemos. Desactive la verificación en dos pasos en WhatsApp Manager y empiece de nuevo.',
  REGISTER_LIMITED:
    'Meta no deja registrar este número otra vez tan pronto. Espere lo que Meta indique y empiece de nuevo.',
  REGISTER_FAILED: 'Meta no registró el número. Empiece de nuevo desde su aplicación.',
  SIGNUP_NOT_CONFIGURED:
    'La conexión no está configurada aquí: el operador debe definir META_APP_ID, META_APP_SECRET y META_CONFIG_ID.',
}

const pt: RefusalWords = {
  STATE_MISSING:
    'Este endereço só serve como fim de uma conexão. Comece de novo pela sua aplicação.',
  STATE_INVALID: 'Ninguém começou esta conexão aqui. Comece de novo pela sua aplicação.',
  STATE_EXPIRED:
    'Esta conexão foi iniciada há mais de 10 minutos. Comece de novo pela sua aplicação.',
  STATE_USED: 'Esta conexão já foi concluída ou tentada antes. Comece de novo pela sua aplicação.',
  STATE_FOREIGN: 'Outra pessoa começou esta conexão. Comece a sua própria.',
  CODE_MISSING: 'A Meta não deu nenhum código. Passe pela conexão mais uma vez.',
  SIGNUP_DENIED: 'A conexão foi cancelada na Meta. Passe por ela mais uma vez e aceite.',
  CODE_EXPIRED:
    'O código da Meta vale 30 segundos, e eles já tinham passado. Comece de novo pela sua aplicação.',
  CODE_USED: 'O código da Meta já tinha sido usado. Comece de novo pela sua aplicação.',
  CODE_INVALID:
    'A Meta não conhece o código, ou o fez para outro aplicativo. Comece de novo pela sua aplicação.',
  APP_REFUSED:
    'A Meta não aceita o aplicativo deste gateway. O operador deve conferir META_APP_ID e META_APP_SECRET.',
  META_UNREACHABLE: 'A Meta não respondeu. Espere um momento e comece de novo pela sua aplicação.',
  META_REFUSED: 'A Meta recusou um passo da conexão. Comece de novo pela sua aplicação.',
  TOKEN_INVALID: 'O token de acesso da Meta não é válido. Comece de novo pela sua aplicação.',
  APP_MISMATCH:
    'O acesso foi dado a outro aplicativo que não o deste gateway. Comece de novo pela sua aplicação.',
  SCOPES_MISSING:
    'Nem todas as permissões foram dadas. Comece de novo e deixe ativadas todas as que são pedidas.',
  WABA_NOT_GRANTED: 'O acesso dado não inclui esta conta do WhatsApp. Comece de novo e escolha-a.',
  NUMBER_NOT_GRANTED:
    'Não é um número da conta do WhatsApp escolhida. Comece de novo pela sua aplicação.',
  NUMBER_MISSING:
    'A conta do WhatsApp ainda não tem número. Adicione um no WhatsApp Manager, ou comece de novo e adicione-o lá.',
  NUMBER_CHOICE_NEEDED:
    'A conta do WhatsApp tem vários números e nenhum foi indicado. Comece de novo e use a janela pop-up, que nos diz qual você escolhe.',
  ACCOUNT_MISMATCH:
    'Foi escolhido outro número que não o que se queria reconectar. Comece de novo e escolha esse.',
  NUMBER_TAKEN:
    'Este número está conectado em outro lugar. É preciso desconectá-lo lá antes de conectá-lo aqui.',
  SUBSCRIBE_FAILED:
    'A Meta ainda não nos entrega as mensagens desta conta. Comece de novo pela sua aplicação.',
  NUMBER_UNVERIFIED:
    'O número ainda não foi verificado. Informe o código da Meta no WhatsApp Manager e comece de novo.',
  PIN_UNKNOWN:
    'O número tem um PIN de verificação em duas etapas que não conhecemos. Desative a verificação em duas etapas no WhatsApp Manager e comece de novo.',
  REGISTER_LIMITED:
    'A Meta não deixa registrar este número de novo tão cedo. Espere o tempo que a Meta disser e comece de novo.',
  REGISTER_FAILED: 'A Meta não registrou o número. Comece de novo pela sua aplicação.',
  SIGNUP_NOT_CONFIGURED:
    'A conexão não está configurada aqui: o operador deve definir META_APP_ID, META_APP_SECRET e META_CONFIG_ID.',
}

const id: RefusalWords = {
  STATE_MISSING:
    'Alamat ini hanya berfungsi sebagai akhir penghubungan. Mulai lagi dari aplikasi Anda.',
  STATE_INVALID: 'Tidak ada yang memulai penghubungan ini di sini. Mulai lagi dari aplikasi Anda.',
  STATE_EXPIRED:
    'Penghubungan ini dimulai lebih dari 10 menit lalu. Mulai lagi dari aplikasi Anda.',
  STATE_USED: 'Penghubungan ini sudah selesai atau pernah dicoba. Mulai lagi dari aplikasi Anda.',
  STATE_FOREIGN: 'Orang lain yang memulai penghubungan ini. Mulailah sendiri.',
  CODE_MISSING: 'Meta tidak memberi kode. Ulangi penghubungannya.',
  SIGNUP_DENIED: 'Penghubungan dibatalkan di Meta. Ulangi dan setujui.',
  CODE_EXPIRED: 'Kode Meta berlaku 30 detik dan sudah lewat. Mulai lagi dari aplikasi Anda.',
  CODE_USED: 'Kode Meta sudah pernah dipakai. Mulai lagi dari aplikasi Anda.',
  CODE_INVALID:
    'Meta tidak mengenal kodenya, atau membuatnya untuk aplikasi lain. Mulai lagi dari aplikasi Anda.',
  APP_REFUSED:
    'Meta tidak menerima aplikasi gateway ini. Operator harus memeriksa META_APP_ID dan META_APP_SECRET.',
  META_UNREACHABLE: 'Meta tidak menjawab. Tunggu sebentar, lalu mulai lagi dari aplikasi Anda.',
  META_REFUSED: 'Meta menolak satu langkah penghubungan. Mulai lagi dari aplikasi Anda.',
  TOKEN_INVALID: 'Token akses Meta tidak sah. Mulai lagi dari aplikasi Anda.',
  APP_MISMATCH:
    'Akses diberikan kepada aplikasi lain, bukan milik gateway ini. Mulai lagi dari aplikasi Anda.',
  SCOPES_MISSING:
    'Tidak semua izin diberikan. Mulai lagi dan biarkan semua izin yang diminta tetap aktif.',
  WABA_NOT_GRANTED:
    'Akses yang diberikan tidak mencakup akun WhatsApp ini. Mulai lagi dan pilih akun itu.',
  NUMBER_NOT_GRANTED:
    'Ini bukan nomor dari akun WhatsApp yang dipilih. Mulai lagi dari aplikasi Anda.',
  NUMBER_MISSING:
    'Akun WhatsApp itu belum punya nomor. Tambahkan di WhatsApp Manager, atau mulai lagi dan tambahkan di sana.',
  NUMBER_CHOICE_NEEDED:
    'Akun WhatsApp itu punya beberapa nomor dan tidak ada yang disebut. Mulai lagi dan gunakan jendela pop-up, yang memberi tahu nomor pilihan Anda.',
  ACCOUNT_MISMATCH:
    'Nomor yang dipilih bukan nomor yang akan dihubungkan lagi. Mulai lagi dan pilih nomor itu.',
  NUMBER_TAKEN:
    'Nomor ini terhubung di tempat lain. Putuskan dulu di sana sebelum dihubungkan di sini.',
  SUBSCRIBE_FAILED:
    'Meta belum mengirimkan pesan akun ini kepada kami. Mulai lagi dari aplikasi Anda.',
  NUMBER_UNVERIFIED:
    'Nomor ini belum diverifikasi. Masukkan kode Meta di WhatsApp Manager, lalu mulai lagi.',
  PIN_UNKNOWN:
    'Nomor ini punya PIN verifikasi dua langkah yang tidak kami ketahui. Matikan verifikasi dua langkah di WhatsApp Manager, lalu mulai lagi.',
  REGISTER_LIMITED:
    'Meta belum mengizinkan nomor ini didaftarkan lagi secepat ini. Tunggu selama kata Meta, lalu mulai lagi.',
  REGISTER_FAILED: 'Meta tidak mendaftarkan nomor itu. Mulai lagi dari aplikasi Anda.',
  SIGNUP_NOT_CONFIGURED:
    'Penghubungan belum disiapkan di sini: operator harus mengatur META_APP_ID, META_APP_SECRET, dan META_CONFIG_ID.',
}

/** English is what the API itself says. */
export const refusalWords: Record<Language, Partial<Record<string, string>>> = {
  en: {},
  es,
  pt,
  id,
}
