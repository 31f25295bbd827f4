// The page in a sentence or two.
import { defineWords } from '../../words/define.ts'

/** `one` for one, `many` for any other number. */
const plural = (one: string, many: (count: string) => string) => (count: number, said: string) =>
  count === 1 ? one : many(said)

export const sentenceWords = defineWords({
  en: {
    heads: { ok: 'All working.', degraded: 'Mostly working.', down: 'Not working.' },
    troubles: {
      blocked: 'a store that the gateway needs does not answer',
      webhook_waits: (length: string) => `an incoming webhook has waited for ${length}`,
      webhook_retried: (length: string) => `an incoming webhook has been retried for ${length}`,
      send_waits: (length: string) => `a message that could leave has waited for ${length}`,
      meta_unreachable: 'Meta cannot be reached',
      numbers_failing: (count: number) =>
        count === 1 ? 'one number is paused' : `${count} numbers are paused`,
      all_failing: 'Meta fails for every number, so nothing is sent',
      reauth_needed: (count: number) =>
        count === 1 ? 'one account must be reconnected' : `${count} accounts must be reconnected`,
      dead_letters: (count: number) =>
        count === 1
          ? 'dead letters pile up at one tenant'
          : `dead letters pile up at ${count} tenants`,
      own_dead_letters: 'dead letters pile up',
      not_counted: 'what waits is not being counted',
    },
    messages: plural('1 message', (count) => `${count} messages`),
    ofTenant: (name: string) => `of ${name}`,
    ofTenants: (count: number) => `of ${count} tenants`,
    waits: {
      meta: (what: string, whose: string, isOne: boolean) =>
        `${what}${whose} ${isOne ? 'goes out by itself' : 'go out by themselves'} once Meta answers.`,
      reconnect: (what: string, whose: string, isOne: boolean) =>
        `${what}${whose} ${isOne ? 'waits' : 'wait'} for Reconnect.`,
      parked: (what: string, whose: string, isOne: boolean) =>
        `${what}${whose} ${isOne ? 'is' : 'are'} parked: suspended, or restricted by Meta.`,
      throttled: (what: string, whose: string, isOne: boolean) =>
        `${what}${whose} ${isOne ? 'goes' : 'go'} out more slowly, because Meta asks for it.`,
      retried: (what: string, whose: string, isOne: boolean) =>
        `${what}${whose} ${isOne ? 'is tried again by itself' : 'are tried again by themselves'}.`,
    },
    letters: plural(
      '1 dead letter waits for a decision.',
      (count) => `${count} dead letters wait for a decision.`,
    ),
    nothingWaits: 'Nothing waits.',
    nothingElseWaits: 'Nothing else waits.',
    nothingWaitsLonger: (length: string, isElse: boolean) =>
      `Nothing ${isElse ? 'else ' : ''}has waited longer than ${length}.`,
  },
  es: {
    heads: { ok: 'Todo funciona.', degraded: 'Casi todo funciona.', down: 'No funciona.' },
    troubles: {
      blocked: 'un almacén que la pasarela necesita no responde',
      webhook_waits: (length: string) => `un webhook entrante espera desde hace ${length}`,
      webhook_retried: (length: string) => `un webhook entrante se reintenta desde hace ${length}`,
      send_waits: (length: string) => `un mensaje que podría salir espera desde hace ${length}`,
      meta_unreachable: 'no se puede llegar a Meta',
      numbers_failing: (count: number) =>
        count === 1 ? 'un número está en pausa' : `${count} números están en pausa`,
      all_failing: 'Meta falla con todos los números y no sale nada',
      reauth_needed: (count: number) =>
        count === 1
          ? 'una cuenta debe volver a conectarse'
          : `${count} cuentas deben volver a conectarse`,
      dead_letters: (count: number) =>
        count === 1
          ? 'se acumulan mensajes fallidos en un cliente'
          : `se acumulan mensajes fallidos en ${count} clientes`,
      own_dead_letters: 'se acumulan mensajes fallidos',
      not_counted: 'nadie cuenta lo que espera',
    },
    messages: plural('1 mensaje', (count) => `${count} mensajes`),
    ofTenant: (name: string) => `de ${name}`,
    ofTenants: (count: number) => `de ${count} clientes`,
    waits: {
      meta: (what: string, whose: string, isOne: boolean) =>
        `En cuanto Meta responda, ${isOne ? 'sale solo' : 'salen solos'} ${what}${whose}.`,
      reconnect: (what: string, whose: string, isOne: boolean) =>
        `${isOne ? 'Espera' : 'Esperan'} a volver a conectar: ${what}${whose}.`,
      parked: (what: string, whose: string, isOne: boolean) =>
        `${isOne ? 'Detenido' : 'Detenidos'}, por suspensión o por restricción de Meta: ${what}${whose}.`,
      throttled: (what: string, whose: string, isOne: boolean) =>
        `${isOne ? 'Sale' : 'Salen'} más despacio, porque Meta lo pide: ${what}${whose}.`,
      retried: (what: string, whose: string, isOne: boolean) =>
        `${isOne ? 'Se reintenta solo' : 'Se reintentan solos'}: ${what}${whose}.`,
    },
    letters: plural(
      '1 fallido espera una decisión.',
      (count) => `${count} fallidos esperan una decisión.`,
    ),
    nothingWaits: 'Nada espera.',
    nothingElseWaits: 'Nada más espera.',
    nothingWaitsLonger: (length: string, isElse: boolean) =>
      `Nada ${isElse ? 'más ' : ''}ha esperado más de ${length}.`,
  },
  pt: {
    heads: { ok: 'Tudo funciona.', degraded: 'Quase tudo funciona.', down: 'Não funciona.' },
    troubles: {
      blocked: 'um armazenamento de que o gateway precisa não responde',
      webhook_waits: (length: string) => `um webhook recebido espera há ${length}`,
      webhook_retried: (length: string) => `um webhook recebido é repetido há ${length}`,
      send_waits: (length: string) => `uma mensagem que poderia sair espera há ${length}`,
      meta_unreachable: 'não há conexão com a Meta',
      numbers_failing: (count: number) =>
        count === 1 ? 'um número está em pausa' : `${count} números estão em pausa`,
      all_failing: 'a Meta falha em todos os números e nada sai',
      reauth_needed: (count: number) =>
        count === 1
          ? 'uma conta precisa ser reconectada'
          : `${count} contas precisam ser reconectadas`,
      dead_letters: (count: number) =>
        count === 1
          ? 'falhas se acumulam em um cliente'
          : `falhas se acumulam em ${count} clientes`,
      own_dead_letters: 'falhas se acumulam',
      not_counted: 'ninguém conta o que espera',
    },
    messages: plural('1 mensagem', (count) => `${count} mensagens`),
    ofTenant: (name: string) => `de ${name}`,
    ofTenants: (count: number) => `de ${count} clientes`,
    waits: {
      meta: (what: string, whose: string, isOne: boolean) =>
        `Assim que a Meta responder, ${isOne ? 'sai sozinha' : 'saem sozinhas'} ${what}${whose}.`,
      reconnect: (what: string, whose: string, isOne: boolean) =>
        `${isOne ? 'Espera' : 'Esperam'} pela reconexão: ${what}${whose}.`,
      parked: (what: string, whose: string, isOne: boolean) =>
        `${isOne ? 'Parada' : 'Paradas'}, por suspensão ou restrição da Meta: ${what}${whose}.`,
      throttled: (what: string, whose: string, isOne: boolean) =>
        `${isOne ? 'Sai' : 'Saem'} mais devagar, porque a Meta pede: ${what}${whose}.`,
      retried: (what: string, whose: string, isOne: boolean) =>
        `${isOne ? 'É repetida sozinha' : 'São repetidas sozinhas'}: ${what}${whose}.`,
    },
    letters: plural(
      '1 falha espera uma decisão.',
      (count) => `${count} falhas esperam uma decisão.`,
    ),
    nothingWaits: 'Nada espera.',
    nothingElseWaits: 'Nada mais espera.',
    nothingWaitsLonger: (length: string, isElse: boolean) =>
      `Nada ${isElse ? 'mais ' : ''}esperou mais de ${length}.`,
  },
  id: {
    heads: { ok: 'Semua berjalan.', degraded: 'Sebagian besar berjalan.', down: 'Tidak berjalan.' },
    troubles: {
      blocked: 'penyimpanan yang dibutuhkan gateway tidak menjawab',
      webhook_waits: (length: string) => `sebuah webhook masuk menunggu ${length}`,
      webhook_retried: (length: string) => `sebuah webhook masuk diulang sejak ${length} lalu`,
      send_waits: (length: string) => `sebuah pesan yang siap kirim menunggu ${length}`,
      meta_unreachable: 'Meta tidak dapat dijangkau',
      numbers_failing: (count: number) =>
        count === 1 ? 'satu nomor dijeda' : `${count} nomor dijeda`,
      all_failing: 'Meta gagal untuk semua nomor, jadi tidak ada yang terkirim',
      reauth_needed: (count: number) =>
        count === 1 ? 'satu akun harus dihubungkan lagi' : `${count} akun harus dihubungkan lagi`,
      dead_letters: (count: number) =>
        count === 1 ? 'kegagalan menumpuk di satu klien' : `kegagalan menumpuk di ${count} klien`,
      own_dead_letters: 'kegagalan menumpuk',
      not_counted: 'yang menunggu tidak sedang dihitung',
    },
    messages: plural('1 pesan', (count) => `${count} pesan`),
    ofTenant: (name: string) => `milik ${name}`,
    ofTenants: (count: number) => `milik ${count} klien`,
    waits: {
      meta: (what: string, whose: string, _isOne: boolean) =>
        `${what}${whose} terkirim sendiri begitu Meta menjawab.`,
      reconnect: (what: string, whose: string, _isOne: boolean) =>
        `${what}${whose} menunggu dihubungkan lagi.`,
      parked: (what: string, whose: string, _isOne: boolean) =>
        `${what}${whose} ditahan: ditangguhkan, atau dibatasi Meta.`,
      throttled: (what: string, whose: string, _isOne: boolean) =>
        `${what}${whose} terkirim lebih lambat karena permintaan Meta.`,
      retried: (what: string, whose: string, _isOne: boolean) =>
        `${what}${whose} dicoba lagi dengan sendirinya.`,
    },
    letters: (_count: number, said: string) => `${said} yang gagal menunggu keputusan.`,
    nothingWaits: 'Tidak ada yang menunggu.',
    nothingElseWaits: 'Tidak ada lagi yang menunggu.',
    nothingWaitsLonger: (length: string, isElse: boolean) =>
      `Tidak ada ${isElse ? 'lagi ' : ''}yang menunggu lebih dari ${length}.`,
  },
})
