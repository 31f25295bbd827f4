// What each code means, in a sentence. A code that is not here is told by its class (reason-words.ts).
import { defineWords } from '../../words/define.ts'

export const codeWords = defineWords({
  en: {
    TEMPLATE_INVALID:
      'Meta refuses the template as it is written. Change it as its words below say.',
    TEMPLATE_NOT_FOUND:
      'Meta has no approved template of this name in this language. Once it is approved, sending it again works.',
    TEMPLATE_PARAMETERS:
      'The values do not fit the template: compare their number, order, form and length.',
    TEMPLATE_PAUSED:
      'Meta has paused the template for its quality, usually for hours. Use another one meanwhile.',
    TEMPLATE_NOT_USABLE:
      'This template cannot be sent this way: it is disabled, against a policy, or meant for something else.',
    INVALID_PARAMETER: 'Meta refuses a field of the message. Correct it and send a new one.',
    TYPE_NOT_SUPPORTED: 'Meta does not support this kind of message here. Send another kind.',
    GROUP_REFUSED: 'Meta refuses this for the group: see that it exists and has the number in it.',
    UNDELIVERABLE:
      'WhatsApp could not reach this contact’s phone. The number may not use WhatsApp, or the app is old.',
    RECIPIENT_BLOCKED_BY_BUSINESS: 'You have blocked this contact. Unblock them first.',
    RECIPIENT_NOT_ALLOWED:
      'This recipient cannot be used: it is the sender, or not on a test number’s list.',
    MARKETING_NOT_DELIVERED:
      'Meta chose not to deliver this marketing message to this contact. Wait a day before another.',
    COUNTRY_RESTRICTED: 'The account may not send to this contact’s country.',
    IDENTITY_CHANGED:
      'The contact’s identity changed since it was last confirmed. Make sure who they are first.',
    TOKEN_INVALID: 'Meta no longer accepts the access. Reconnect the account, then requeue.',
    PERMISSION_MISSING:
      'The access does not allow sending for this account. Reconnect it and grant every permission.',
    NUMBER_NOT_ACCESSIBLE: 'The access to this number was lost. Reconnect the account.',
    CAPABILITY_MISSING:
      'The Meta app may not make this call. Look at its products and access level.',
    ACCOUNT_RESTRICTED:
      'Meta has restricted or locked the account. Its Business Support Home says why, and takes an appeal.',
    PAYMENT_PROBLEM:
      'Meta cannot bill the account. Repair the payment method in Meta Business Suite, then requeue.',
    NUMBER_NOT_REGISTERED:
      'The number is not registered at Meta. The doctor can register it again.',
    NUMBER_DELETED: 'The number no longer exists at Meta. Add it again or connect another.',
    DISPLAY_NAME_NOT_APPROVED:
      'Meta has not approved the number’s display name. Choose one in WhatsApp Manager.',
    ACCOUNT_NOT_HEALTHY: 'Meta’s health check blocks the account. Its words name what to repair.',
    ACCOUNT_NOT_FOUND: 'The number is no longer connected here. Connect it again, then requeue.',
    CONFIGURATION_NEEDED: 'Something is to be set up at Meta first; its words below say what.',
    SPAM_LIMITED:
      'Too many people blocked or reported this number. Stop campaigns; Meta lifts the limit after hours or days.',
    PAIR_RATE_LIMITED: 'Too many messages to this one contact in a short time.',
    FLOW_RATE_LIMITED: 'The Flow is throttled for its errors. Repair it in WhatsApp Manager.',
    NOT_SENT: 'Meta could not be reached at any try, and nothing was sent.',
    NUMBER_IN_MAINTENANCE: 'Meta was working on the number at every try.',
    TEMPLATE_SYNCING: 'Meta was still spreading a new template. Sending it again works by now.',
    RECIPIENT_STOPPED_MARKETING: 'This contact has stopped your marketing messages in WhatsApp.',
    FAILED: 'Meta took the message and later gave it up, without a reason that is known here.',
    RETRIES_EXHAUSTED: 'The webhook failed at every try to process it. Nothing of it is lost.',
  },
  es: {
    TEMPLATE_INVALID:
      'Meta rechaza la plantilla tal como está escrita. Cámbiela según lo que dice abajo.',
    TEMPLATE_NOT_FOUND:
      'Meta no tiene aprobada una plantilla con este nombre en este idioma. Cuando lo esté, enviarla de nuevo funciona.',
    TEMPLATE_PARAMETERS:
      'Los valores no encajan en la plantilla: compare su número, orden, forma y longitud.',
    TEMPLATE_PAUSED:
      'Meta pausó la plantilla por su calidad, normalmente unas horas. Use otra mientras tanto.',
    TEMPLATE_NOT_USABLE:
      'Esta plantilla no se puede enviar así: está desactivada, contra una política o es para otra cosa.',
    INVALID_PARAMETER: 'Meta rechaza un campo del mensaje. Corríjalo y envíe uno nuevo.',
    TYPE_NOT_SUPPORTED: 'Meta no admite aquí este tipo de mensaje. Envíe otro tipo.',
    GROUP_REFUSED: 'Meta lo rechaza para el grupo: vea que existe y que el número está en él.',
    UNDELIVERABLE:
      'WhatsApp no pudo llegar al teléfono de este contacto. Quizá no usa WhatsApp o su versión es antigua.',
    RECIPIENT_BLOCKED_BY_BUSINESS: 'Usted bloqueó a este contacto. Desbloquéelo primero.',
    RECIPIENT_NOT_ALLOWED:
      'Este destinatario no sirve: es el remitente, o no está en la lista de un número de prueba.',
    MARKETING_NOT_DELIVERED:
      'Meta decidió no entregar este mensaje de marketing a este contacto. Espere un día antes de otro.',
    COUNTRY_RESTRICTED: 'La cuenta no puede enviar al país de este contacto.',
    IDENTITY_CHANGED:
      'La identidad del contacto cambió desde la última confirmación. Asegúrese primero de quién es.',
    TOKEN_INVALID: 'Meta ya no acepta el acceso. Vuelva a conectar la cuenta y reencole.',
    PERMISSION_MISSING:
      'El acceso no permite enviar con esta cuenta. Vuelva a conectarla y conceda todos los permisos.',
    NUMBER_NOT_ACCESSIBLE: 'Se perdió el acceso a este número. Vuelva a conectar la cuenta.',
    CAPABILITY_MISSING:
      'La app de Meta no puede hacer esta llamada. Revise sus productos y su nivel de acceso.',
    ACCOUNT_RESTRICTED:
      'Meta restringió o bloqueó la cuenta. Su centro de ayuda para empresas dice por qué y recibe apelaciones.',
    PAYMENT_PROBLEM:
      'Meta no puede cobrar a la cuenta. Arregle el medio de pago en Meta Business Suite y reencole.',
    NUMBER_NOT_REGISTERED:
      'El número no está registrado en Meta. El diagnóstico puede registrarlo de nuevo.',
    NUMBER_DELETED: 'El número ya no existe en Meta. Agréguelo otra vez o conecte otro.',
    DISPLAY_NAME_NOT_APPROVED:
      'Meta no aprobó el nombre visible del número. Elija uno en el Administrador de WhatsApp.',
    ACCOUNT_NOT_HEALTHY:
      'El control de salud de Meta bloquea la cuenta. Sus palabras dicen qué hay que arreglar.',
    ACCOUNT_NOT_FOUND: 'El número ya no está conectado aquí. Conéctelo otra vez y reencole.',
    CONFIGURATION_NEEDED: 'Antes hay que configurar algo en Meta; abajo dice qué.',
    SPAM_LIMITED:
      'Demasiadas personas bloquearon o denunciaron este número. Detenga las campañas; Meta levanta el límite en horas o días.',
    PAIR_RATE_LIMITED: 'Demasiados mensajes a este contacto en poco tiempo.',
    FLOW_RATE_LIMITED:
      'El Flow está frenado por sus errores. Arréglelo en el Administrador de WhatsApp.',
    NOT_SENT: 'No se pudo llegar a Meta en ningún intento y no se envió nada.',
    NUMBER_IN_MAINTENANCE: 'Meta estaba trabajando en el número en cada intento.',
    TEMPLATE_SYNCING:
      'Meta aún estaba distribuyendo una plantilla nueva. Enviarla de nuevo ya funciona.',
    RECIPIENT_STOPPED_MARKETING: 'Este contacto detuvo sus mensajes de marketing en WhatsApp.',
    FAILED: 'Meta aceptó el mensaje y luego lo abandonó, sin un motivo conocido aquí.',
    RETRIES_EXHAUSTED: 'El webhook falló en todos los intentos de procesarlo. No se perdió nada.',
  },
  pt: {
    TEMPLATE_INVALID:
      'A Meta recusa o modelo como está escrito. Altere-o conforme as palavras dela abaixo.',
    TEMPLATE_NOT_FOUND:
      'A Meta não tem um modelo aprovado com este nome neste idioma. Quando for aprovado, enviar de novo funciona.',
    TEMPLATE_PARAMETERS: 'Os valores não cabem no modelo: compare número, ordem, forma e tamanho.',
    TEMPLATE_PAUSED:
      'A Meta pausou o modelo pela qualidade, em geral por horas. Use outro enquanto isso.',
    TEMPLATE_NOT_USABLE:
      'Este modelo não pode ser enviado assim: está desativado, contra uma política ou é para outra coisa.',
    INVALID_PARAMETER: 'A Meta recusa um campo da mensagem. Corrija e envie uma nova.',
    TYPE_NOT_SUPPORTED: 'A Meta não aceita este tipo de mensagem aqui. Envie outro tipo.',
    GROUP_REFUSED: 'A Meta recusa isto para o grupo: veja se ele existe e se o número está nele.',
    UNDELIVERABLE:
      'O WhatsApp não alcançou o telefone deste contato. Talvez não use WhatsApp ou a versão seja antiga.',
    RECIPIENT_BLOCKED_BY_BUSINESS: 'Você bloqueou este contato. Desbloqueie primeiro.',
    RECIPIENT_NOT_ALLOWED:
      'Este destinatário não serve: é o próprio remetente, ou não está na lista de um número de teste.',
    MARKETING_NOT_DELIVERED:
      'A Meta decidiu não entregar esta mensagem de marketing a este contato. Espere um dia antes de outra.',
    COUNTRY_RESTRICTED: 'A conta não pode enviar para o país deste contato.',
    IDENTITY_CHANGED:
      'A identidade do contato mudou desde a última confirmação. Verifique primeiro quem é.',
    TOKEN_INVALID: 'A Meta não aceita mais o acesso. Reconecte a conta e reenfileire.',
    PERMISSION_MISSING:
      'O acesso não permite enviar por esta conta. Reconecte-a e conceda todas as permissões.',
    NUMBER_NOT_ACCESSIBLE: 'O acesso a este número se perdeu. Reconecte a conta.',
    CAPABILITY_MISSING:
      'O app da Meta não pode fazer esta chamada. Veja os produtos e o nível de acesso dele.',
    ACCOUNT_RESTRICTED:
      'A Meta restringiu ou bloqueou a conta. O suporte para empresas diz por quê e aceita recurso.',
    PAYMENT_PROBLEM:
      'A Meta não consegue cobrar a conta. Corrija a forma de pagamento no Meta Business Suite e reenfileire.',
    NUMBER_NOT_REGISTERED:
      'O número não está registrado na Meta. O diagnóstico pode registrá-lo de novo.',
    NUMBER_DELETED: 'O número não existe mais na Meta. Adicione-o de novo ou conecte outro.',
    DISPLAY_NAME_NOT_APPROVED:
      'A Meta não aprovou o nome de exibição do número. Escolha um no Gerenciador do WhatsApp.',
    ACCOUNT_NOT_HEALTHY:
      'A verificação de saúde da Meta bloqueia a conta. As palavras dela dizem o que consertar.',
    ACCOUNT_NOT_FOUND: 'O número não está mais conectado aqui. Conecte-o de novo e reenfileire.',
    CONFIGURATION_NEEDED: 'Antes é preciso configurar algo na Meta; abaixo ela diz o quê.',
    SPAM_LIMITED:
      'Pessoas demais bloquearam ou denunciaram este número. Pare as campanhas; a Meta retira o limite em horas ou dias.',
    PAIR_RATE_LIMITED: 'Mensagens demais para este contato em pouco tempo.',
    FLOW_RATE_LIMITED:
      'O Flow está limitado por causa de erros. Conserte-o no Gerenciador do WhatsApp.',
    NOT_SENT: 'Não foi possível alcançar a Meta em nenhuma tentativa, e nada foi enviado.',
    NUMBER_IN_MAINTENANCE: 'A Meta estava trabalhando no número em todas as tentativas.',
    TEMPLATE_SYNCING:
      'A Meta ainda estava distribuindo um modelo novo. Enviar de novo já funciona.',
    RECIPIENT_STOPPED_MARKETING:
      'Este contato interrompeu as suas mensagens de marketing no WhatsApp.',
    FAILED: 'A Meta aceitou a mensagem e depois desistiu dela, sem um motivo conhecido aqui.',
    RETRIES_EXHAUSTED:
      'O webhook falhou em todas as tentativas de processá-lo. Nada dele se perdeu.',
  },
  id: {
    TEMPLATE_INVALID:
      'Meta menolak templat seperti yang ditulis. Ubah sesuai kata-katanya di bawah.',
    TEMPLATE_NOT_FOUND:
      'Meta tidak punya templat bernama ini yang disetujui dalam bahasa ini. Setelah disetujui, mengirim lagi berhasil.',
    TEMPLATE_PARAMETERS:
      'Nilainya tidak cocok dengan templat: bandingkan jumlah, urutan, bentuk dan panjangnya.',
    TEMPLATE_PAUSED:
      'Meta menjeda templat karena mutunya, biasanya beberapa jam. Pakai yang lain dulu.',
    TEMPLATE_NOT_USABLE:
      'Templat ini tidak dapat dikirim begini: dinonaktifkan, melanggar kebijakan, atau untuk hal lain.',
    INVALID_PARAMETER: 'Meta menolak salah satu isian pesan. Perbaiki dan kirim yang baru.',
    TYPE_NOT_SUPPORTED: 'Meta tidak mendukung jenis pesan ini di sini. Kirim jenis lain.',
    GROUP_REFUSED: 'Meta menolaknya untuk grup: pastikan grup ada dan nomornya ada di dalamnya.',
    UNDELIVERABLE:
      'WhatsApp tidak dapat menjangkau ponsel kontak ini. Mungkin nomornya tidak memakai WhatsApp atau aplikasinya lama.',
    RECIPIENT_BLOCKED_BY_BUSINESS: 'Anda memblokir kontak ini. Buka blokirnya dulu.',
    RECIPIENT_NOT_ALLOWED:
      'Penerima ini tidak dapat dipakai: ia pengirimnya sendiri, atau tidak ada di daftar nomor uji.',
    MARKETING_NOT_DELIVERED:
      'Meta memilih tidak mengirim pesan pemasaran ini ke kontak ini. Tunggu sehari sebelum yang lain.',
    COUNTRY_RESTRICTED: 'Akun ini tidak boleh mengirim ke negara kontak ini.',
    IDENTITY_CHANGED:
      'Identitas kontak berubah sejak terakhir dipastikan. Pastikan dulu siapa orangnya.',
    TOKEN_INVALID: 'Meta tidak lagi menerima aksesnya. Hubungkan lagi akunnya, lalu antrekan lagi.',
    PERMISSION_MISSING:
      'Akses ini tidak mengizinkan pengiriman untuk akun ini. Hubungkan lagi dan beri semua izin.',
    NUMBER_NOT_ACCESSIBLE: 'Akses ke nomor ini hilang. Hubungkan lagi akunnya.',
    CAPABILITY_MISSING:
      'Aplikasi Meta tidak boleh memanggil ini. Periksa produk dan tingkat aksesnya.',
    ACCOUNT_RESTRICTED:
      'Meta membatasi atau mengunci akun. Dukungan bisnisnya menjelaskan sebabnya dan menerima banding.',
    PAYMENT_PROBLEM:
      'Meta tidak dapat menagih akun. Perbaiki cara pembayaran di Meta Business Suite, lalu antrekan lagi.',
    NUMBER_NOT_REGISTERED: 'Nomor tidak terdaftar di Meta. Pemeriksa dapat mendaftarkannya lagi.',
    NUMBER_DELETED: 'Nomor ini sudah tidak ada di Meta. Tambahkan lagi atau hubungkan yang lain.',
    DISPLAY_NAME_NOT_APPROVED:
      'Meta belum menyetujui nama tampilan nomor. Pilih satu di Pengelola WhatsApp.',
    ACCOUNT_NOT_HEALTHY:
      'Pemeriksaan Meta memblokir akun. Kata-katanya menyebut apa yang harus diperbaiki.',
    ACCOUNT_NOT_FOUND: 'Nomor tidak lagi terhubung di sini. Hubungkan lagi, lalu antrekan lagi.',
    CONFIGURATION_NEEDED: 'Ada yang harus diatur di Meta dulu; kata-katanya di bawah menyebut apa.',
    SPAM_LIMITED:
      'Terlalu banyak orang memblokir atau melaporkan nomor ini. Hentikan kampanye; Meta mencabut batasnya setelah berjam-jam atau berhari-hari.',
    PAIR_RATE_LIMITED: 'Terlalu banyak pesan ke kontak ini dalam waktu singkat.',
    FLOW_RATE_LIMITED: 'Flow diperlambat karena galatnya. Perbaiki di Pengelola WhatsApp.',
    NOT_SENT: 'Meta tidak dapat dihubungi di semua percobaan, dan tidak ada yang terkirim.',
    NUMBER_IN_MAINTENANCE: 'Meta sedang mengerjakan nomor ini di setiap percobaan.',
    TEMPLATE_SYNCING: 'Meta masih menyebarkan templat baru. Sekarang mengirim lagi sudah berhasil.',
    RECIPIENT_STOPPED_MARKETING: 'Kontak ini menghentikan pesan pemasaran Anda di WhatsApp.',
    FAILED: 'Meta menerima pesan lalu melepasnya, tanpa alasan yang dikenal di sini.',
    RETRIES_EXHAUSTED: 'Webhook gagal di semua percobaan memprosesnya. Tidak ada yang hilang.',
  },
})
