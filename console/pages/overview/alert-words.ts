// What each alert is called, and what to do about it: the runbook's advice in a sentence.
import { defineWords } from '../../words/define.ts'

/** By the rule's name. `docs/runbook.md` says more. */
export const alertWords = defineWords({
  en: {
    dead_letters_over_threshold: {
      title: 'Many dead letters wait for a decision',
      advice: 'One error code for all of them is one cause: remove it, then requeue them.',
    },
    retries_exhausted: {
      title: 'Messages were given up after every retry',
      advice: 'Once Meta is well again, requeue them all at once.',
    },
    webhook_failure_spike: {
      title: 'Webhooks do not get in',
      advice:
        'Not stored: bring the database back, Meta sends them again. Wrong signature: compare META_APP_SECRET with the app’s.',
    },
    rate_limited: {
      title: 'Meta slows a number down',
      advice: 'Messages wait, none are lost. Spread campaigns, or ask Meta for a higher limit.',
    },
    processing_failures: {
      title: 'Received webhooks could not be processed',
      advice: 'Look at the error, remove its cause, then requeue. Nothing is applied twice.',
    },
    circuit_open: {
      title: 'Meta fails, so sending is paused',
      advice:
        'It closes by itself once Meta answers. If only one number fails, look at its account.',
    },
    reauth_needed: {
      title: 'An account must be reconnected',
      advice:
        'Meta no longer accepts its access. What waits goes out by itself after you reconnect.',
    },
    token_expiring: {
      title: 'An access token ends soon',
      advice: 'Nothing is wrong yet. Reconnect the account before it ends.',
    },
    backlog_too_old: {
      title: 'Something waits too long',
      advice:
        'If another alert is open, it is the cause. Otherwise start more workers or look at the database.',
    },
    account_restricted: {
      title: 'Meta restricts a number',
      advice: 'It must be repaired at Meta: pay, appeal, verify. For low quality, send less.',
    },
    alert_delivery_failing: {
      title: 'Alerts do not get through to a channel',
      advice: 'Test the channel, and replace it if its target has changed.',
    },
    number_claimed_twice: {
      title: 'Somebody else tried to connect a number',
      advice: 'If it should be theirs, disconnect it here first. Otherwise nothing is to be done.',
    },
    event_endpoint_disabled: {
      title: 'An event endpoint was given up',
      advice: 'Repair your application, resume the endpoint, then replay what it missed.',
    },
  },
  es: {
    dead_letters_over_threshold: {
      title: 'Muchos mensajes fallidos esperan una decisión',
      advice: 'Un mismo código de error es una misma causa: quítela y vuelva a encolarlos.',
    },
    retries_exhausted: {
      title: 'Se abandonaron mensajes tras todos los reintentos',
      advice: 'Cuando Meta se recupere, vuelva a encolarlos todos a la vez.',
    },
    webhook_failure_spike: {
      title: 'Los webhooks no entran',
      advice:
        'Si no se guardan: recupere la base de datos, Meta los repite. Si falla la firma: compare META_APP_SECRET con el de la app.',
    },
    rate_limited: {
      title: 'Meta frena un número',
      advice:
        'Los mensajes esperan, ninguno se pierde. Reparta las campañas o pida a Meta un límite mayor.',
    },
    processing_failures: {
      title: 'No se pudieron procesar webhooks recibidos',
      advice: 'Mire el error, quite la causa y vuelva a encolarlos. Nada se aplica dos veces.',
    },
    circuit_open: {
      title: 'Meta falla y el envío está en pausa',
      advice: 'Se cierra solo cuando Meta responda. Si falla un solo número, mire su cuenta.',
    },
    reauth_needed: {
      title: 'Una cuenta debe volver a conectarse',
      advice: 'Meta ya no acepta su acceso. Lo que espera sale solo al volver a conectar.',
    },
    token_expiring: {
      title: 'Un token de acceso vence pronto',
      advice: 'Aún no falla nada. Vuelva a conectar la cuenta antes de que venza.',
    },
    backlog_too_old: {
      title: 'Algo espera demasiado',
      advice:
        'Si hay otra alerta abierta, esa es la causa. Si no, inicie más procesos o mire la base de datos.',
    },
    account_restricted: {
      title: 'Meta restringe un número',
      advice:
        'Debe resolverse en Meta: pagar, apelar, verificar. Si la calidad es baja, envíe menos.',
    },
    alert_delivery_failing: {
      title: 'Las alertas no llegan a un canal',
      advice: 'Pruebe el canal y cámbielo si su destino es otro.',
    },
    number_claimed_twice: {
      title: 'Alguien más intentó conectar un número',
      advice: 'Si debe ser suyo, desconéctelo aquí primero. Si no, no hay nada que hacer.',
    },
    event_endpoint_disabled: {
      title: 'Se abandonó un destino de eventos',
      advice: 'Repare su aplicación, reanude el destino y repita lo que se perdió.',
    },
  },
  pt: {
    dead_letters_over_threshold: {
      title: 'Muitas falhas esperam uma decisão',
      advice: 'Um mesmo código de erro é uma mesma causa: remova-a e reenfileire.',
    },
    retries_exhausted: {
      title: 'Mensagens foram abandonadas após todas as tentativas',
      advice: 'Quando a Meta se recuperar, reenfileire todas de uma vez.',
    },
    webhook_failure_spike: {
      title: 'Os webhooks não entram',
      advice:
        'Não gravados: recupere o banco de dados, a Meta os repete. Assinatura errada: compare META_APP_SECRET com o do app.',
    },
    rate_limited: {
      title: 'A Meta freia um número',
      advice:
        'As mensagens esperam, nenhuma se perde. Espalhe as campanhas ou peça um limite maior à Meta.',
    },
    processing_failures: {
      title: 'Webhooks recebidos não puderam ser processados',
      advice: 'Veja o erro, remova a causa e reenfileire. Nada é aplicado duas vezes.',
    },
    circuit_open: {
      title: 'A Meta falha e o envio está em pausa',
      advice: 'Fecha sozinho quando a Meta responder. Se só um número falha, veja a conta dele.',
    },
    reauth_needed: {
      title: 'Uma conta precisa ser reconectada',
      advice: 'A Meta não aceita mais o acesso. O que espera sai sozinho depois de reconectar.',
    },
    token_expiring: {
      title: 'Um token de acesso vence em breve',
      advice: 'Ainda não há erro. Reconecte a conta antes que ele vença.',
    },
    backlog_too_old: {
      title: 'Algo espera demais',
      advice:
        'Se há outro alerta aberto, ele é a causa. Senão, inicie mais processos ou veja o banco de dados.',
    },
    account_restricted: {
      title: 'A Meta restringe um número',
      advice:
        'É preciso resolver na Meta: pagar, recorrer, verificar. Com qualidade baixa, envie menos.',
    },
    alert_delivery_failing: {
      title: 'Alertas não chegam a um canal',
      advice: 'Teste o canal e troque-o se o destino mudou.',
    },
    number_claimed_twice: {
      title: 'Outra pessoa tentou conectar um número',
      advice: 'Se for para ser dela, desconecte-o aqui antes. Senão, não há nada a fazer.',
    },
    event_endpoint_disabled: {
      title: 'Um destino de eventos foi abandonado',
      advice: 'Conserte sua aplicação, retome o destino e repita o que se perdeu.',
    },
  },
  id: {
    dead_letters_over_threshold: {
      title: 'Banyak kegagalan menunggu keputusan',
      advice: 'Satu kode galat berarti satu sebab: hilangkan sebabnya, lalu antrekan lagi.',
    },
    retries_exhausted: {
      title: 'Pesan dihentikan setelah semua percobaan',
      advice: 'Begitu Meta pulih, antrekan lagi semuanya sekaligus.',
    },
    webhook_failure_spike: {
      title: 'Webhook tidak bisa masuk',
      advice:
        'Tidak tersimpan: pulihkan basis data, Meta mengirim ulang. Tanda tangan salah: bandingkan META_APP_SECRET dengan milik aplikasi.',
    },
    rate_limited: {
      title: 'Meta memperlambat sebuah nomor',
      advice:
        'Pesan menunggu, tidak ada yang hilang. Sebar kampanye, atau minta batas lebih tinggi ke Meta.',
    },
    processing_failures: {
      title: 'Webhook yang diterima tidak dapat diproses',
      advice:
        'Lihat galatnya, hilangkan sebabnya, lalu antrekan lagi. Tidak ada yang berlaku dua kali.',
    },
    circuit_open: {
      title: 'Meta gagal, jadi pengiriman dijeda',
      advice: 'Menutup sendiri begitu Meta menjawab. Bila hanya satu nomor gagal, periksa akunnya.',
    },
    reauth_needed: {
      title: 'Sebuah akun harus dihubungkan lagi',
      advice:
        'Meta tidak lagi menerima aksesnya. Yang menunggu terkirim sendiri setelah dihubungkan lagi.',
    },
    token_expiring: {
      title: 'Sebuah token akses segera berakhir',
      advice: 'Belum ada yang salah. Hubungkan lagi akunnya sebelum token berakhir.',
    },
    backlog_too_old: {
      title: 'Ada yang menunggu terlalu lama',
      advice:
        'Bila ada peringatan lain yang terbuka, itulah sebabnya. Bila tidak, tambah proses kerja atau periksa basis data.',
    },
    account_restricted: {
      title: 'Meta membatasi sebuah nomor',
      advice:
        'Harus dibereskan di Meta: bayar, ajukan banding, verifikasi. Bila mutunya rendah, kirim lebih sedikit.',
    },
    alert_delivery_failing: {
      title: 'Peringatan tidak sampai ke sebuah saluran',
      advice: 'Uji salurannya, dan ganti bila tujuannya sudah berubah.',
    },
    number_claimed_twice: {
      title: 'Pihak lain mencoba menghubungkan sebuah nomor',
      advice:
        'Bila memang miliknya, putuskan dahulu di sini. Bila tidak, tidak ada yang perlu dilakukan.',
    },
    event_endpoint_disabled: {
      title: 'Sebuah tujuan peristiwa dihentikan',
      advice: 'Perbaiki aplikasi Anda, lanjutkan tujuannya, lalu ulangi yang terlewat.',
    },
  },
})
