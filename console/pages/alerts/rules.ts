// Every alert there is: its name, what to do about it, and where. The runbook in short, for people in a hurry.
import { defineWords } from '../../words/define.ts'

/** Whom it concerns, and where in the console something can be done about it. */
export const rulePlaces = {
  dead_letters_over_threshold: 'dead-letters',
  retries_exhausted: 'dead-letters',
  webhook_failure_spike: 'overview',
  rate_limited: 'accounts',
  processing_failures: 'dead-letters',
  circuit_open: 'overview',
  reauth_needed: 'accounts',
  token_expiring: 'accounts',
  backlog_too_old: 'overview',
  account_restricted: 'accounts',
  alert_delivery_failing: 'alerts',
  number_claimed_twice: 'accounts',
  event_endpoint_disabled: 'events',
} as const

export type Rule = keyof typeof rulePlaces

export const ruleWords = defineWords({
  en: {
    dead_letters_over_threshold: {
      title: 'Many dead letters',
      todo: 'Look at what they have in common, mend that, then requeue them.',
    },
    retries_exhausted: {
      title: 'Messages were given up',
      todo: 'Once Meta is well again, requeue them in bulk.',
    },
    webhook_failure_spike: {
      title: 'Webhooks do not get in',
      todo: 'Look at the database, and whether the app secret is still the right one. Meta repeats what was not stored.',
    },
    rate_limited: {
      title: 'Meta slows a number down',
      todo: 'Spread campaigns. After a spam limit, stop marketing from this number until its quality is better.',
    },
    processing_failures: {
      title: 'Webhooks cannot be processed',
      todo: 'Look at the inbound dead letters, mend the cause, then requeue them.',
    },
    circuit_open: {
      title: 'Meta does not answer',
      todo: 'Usually wait: it goes on by itself, in order. If it is one number alone, look at its account.',
    },
    reauth_needed: {
      title: 'A number must be reconnected',
      todo: 'Reconnect it. What waits then goes out by itself.',
    },
    token_expiring: {
      title: 'Access to a number ends soon',
      todo: 'Reconnect it before that day.',
    },
    backlog_too_old: {
      title: 'Something waits too long',
      todo: 'Look for another alert beside this one. If there is none, more workers are needed.',
    },
    account_restricted: {
      title: 'Meta restricts a number',
      todo: 'The business has to mend it at Meta: pay, appeal, verify, or send less.',
    },
    alert_delivery_failing: {
      title: 'An alert channel does not work',
      todo: 'Test the channel below, and replace it if its address has changed.',
    },
    number_claimed_twice: {
      title: 'Somebody else wants a number',
      todo: 'Find out who has the right to it, and disconnect it where it does not belong.',
    },
    event_endpoint_disabled: {
      title: 'An event endpoint is disabled',
      todo: 'Mend it, then resume it. What waited is delivered.',
    },
  },
  es: {
    dead_letters_over_threshold: {
      title: 'Muchos mensajes fallidos',
      todo: 'Mire qué tienen en común, repárelo y reencólelos.',
    },
    retries_exhausted: {
      title: 'Se abandonaron mensajes',
      todo: 'Cuando Meta vuelva a estar bien, reencólelos en bloque.',
    },
    webhook_failure_spike: {
      title: 'Los webhooks no entran',
      todo: 'Revise la base de datos y si el secreto de la app sigue siendo el correcto. Meta repite lo que no se guardó.',
    },
    rate_limited: {
      title: 'Meta frena un número',
      todo: 'Reparta las campañas. Tras un límite por spam, detenga el marketing de este número hasta que mejore su calidad.',
    },
    processing_failures: {
      title: 'No se pueden procesar webhooks',
      todo: 'Mire los fallidos entrantes, repare la causa y reencólelos.',
    },
    circuit_open: {
      title: 'Meta no responde',
      todo: 'Por lo general, espere: sigue solo y en orden. Si es un solo número, mire su cuenta.',
    },
    reauth_needed: {
      title: 'Hay que volver a conectar un número',
      todo: 'Vuelva a conectarlo. Lo que espera sale solo.',
    },
    token_expiring: {
      title: 'El acceso a un número termina pronto',
      todo: 'Vuelva a conectarlo antes de ese día.',
    },
    backlog_too_old: {
      title: 'Algo espera demasiado',
      todo: 'Busque otra alerta junto a esta. Si no la hay, hacen falta más trabajadores.',
    },
    account_restricted: {
      title: 'Meta restringe un número',
      todo: 'La empresa debe arreglarlo en Meta: pagar, apelar, verificar o enviar menos.',
    },
    alert_delivery_failing: {
      title: 'Un canal de alertas no funciona',
      todo: 'Pruebe el canal aquí abajo y reemplácelo si cambió su dirección.',
    },
    number_claimed_twice: {
      title: 'Alguien más quiere un número',
      todo: 'Averigüe quién tiene derecho a él y desconéctelo donde no corresponde.',
    },
    event_endpoint_disabled: {
      title: 'Un destino de eventos está desactivado',
      todo: 'Repárelo y reanúdelo. Lo que esperaba se entrega.',
    },
  },
  pt: {
    dead_letters_over_threshold: {
      title: 'Muitas falhas',
      todo: 'Veja o que têm em comum, conserte e reenfileire.',
    },
    retries_exhausted: {
      title: 'Mensagens foram abandonadas',
      todo: 'Quando a Meta estiver bem de novo, reenfileire em bloco.',
    },
    webhook_failure_spike: {
      title: 'Os webhooks não entram',
      todo: 'Veja o banco de dados e se o segredo do app ainda é o certo. A Meta repete o que não foi guardado.',
    },
    rate_limited: {
      title: 'A Meta freia um número',
      todo: 'Espalhe as campanhas. Depois de um limite por spam, pare o marketing deste número até a qualidade melhorar.',
    },
    processing_failures: {
      title: 'Webhooks não podem ser processados',
      todo: 'Veja as falhas de entrada, conserte a causa e reenfileire.',
    },
    circuit_open: {
      title: 'A Meta não responde',
      todo: 'Em geral, espere: continua sozinho e em ordem. Se for um só número, veja a conta dele.',
    },
    reauth_needed: {
      title: 'Um número precisa ser reconectado',
      todo: 'Reconecte. O que espera sai sozinho.',
    },
    token_expiring: {
      title: 'O acesso a um número acaba logo',
      todo: 'Reconecte antes desse dia.',
    },
    backlog_too_old: {
      title: 'Algo espera demais',
      todo: 'Procure outro alerta ao lado deste. Se não houver, faltam trabalhadores.',
    },
    account_restricted: {
      title: 'A Meta restringe um número',
      todo: 'A empresa precisa resolver na Meta: pagar, recorrer, verificar ou enviar menos.',
    },
    alert_delivery_failing: {
      title: 'Um canal de alertas não funciona',
      todo: 'Teste o canal abaixo e troque se o endereço mudou.',
    },
    number_claimed_twice: {
      title: 'Outra pessoa quer um número',
      todo: 'Descubra quem tem direito a ele e desconecte onde não pertence.',
    },
    event_endpoint_disabled: {
      title: 'Um destino de eventos está desativado',
      todo: 'Conserte e retome. O que esperava é entregue.',
    },
  },
  id: {
    dead_letters_over_threshold: {
      title: 'Banyak pesan gagal',
      todo: 'Lihat kesamaannya, perbaiki, lalu antrekan lagi.',
    },
    retries_exhausted: {
      title: 'Ada pesan yang dihentikan',
      todo: 'Setelah Meta pulih, antrekan lagi sekaligus.',
    },
    webhook_failure_spike: {
      title: 'Webhook tidak masuk',
      todo: 'Periksa basis data dan apakah rahasia aplikasi masih benar. Meta mengulang yang tidak tersimpan.',
    },
    rate_limited: {
      title: 'Meta memperlambat sebuah nomor',
      todo: 'Sebarkan kampanye. Setelah batas spam, hentikan pemasaran dari nomor ini sampai kualitasnya membaik.',
    },
    processing_failures: {
      title: 'Webhook tidak dapat diproses',
      todo: 'Lihat kegagalan yang masuk, perbaiki penyebabnya, lalu antrekan lagi.',
    },
    circuit_open: {
      title: 'Meta tidak menjawab',
      todo: 'Biasanya cukup menunggu: berjalan lagi sendiri, berurutan. Bila hanya satu nomor, lihat akunnya.',
    },
    reauth_needed: {
      title: 'Sebuah nomor harus dihubungkan lagi',
      todo: 'Hubungkan lagi. Yang menunggu terkirim sendiri.',
    },
    token_expiring: {
      title: 'Akses ke sebuah nomor segera berakhir',
      todo: 'Hubungkan lagi sebelum hari itu.',
    },
    backlog_too_old: {
      title: 'Ada yang menunggu terlalu lama',
      todo: 'Cari peringatan lain di sampingnya. Bila tidak ada, perlu lebih banyak pekerja.',
    },
    account_restricted: {
      title: 'Meta membatasi sebuah nomor',
      todo: 'Pemilik usaha harus membereskannya di Meta: membayar, banding, verifikasi, atau mengirim lebih sedikit.',
    },
    alert_delivery_failing: {
      title: 'Saluran peringatan tidak berfungsi',
      todo: 'Uji saluran di bawah, dan ganti bila alamatnya berubah.',
    },
    number_claimed_twice: {
      title: 'Orang lain menginginkan sebuah nomor',
      todo: 'Cari tahu siapa yang berhak, dan putuskan di tempat yang bukan miliknya.',
    },
    event_endpoint_disabled: {
      title: 'Sebuah tujuan peristiwa dinonaktifkan',
      todo: 'Perbaiki, lalu lanjutkan. Yang menunggu dikirim.',
    },
  },
})
