// Words that end all messages to whoever writes them, where nobody chose others.
export const usualStopWords = [
  // English
  ...['stop', 'stop all', 'stopall', 'stop it', 'unsubscribe', 'opt out', 'optout', 'opt-out'],
  ...['remove me', 'no more messages', 'stop messaging me'],
  // Spanish
  ...['baja', 'dar de baja', 'darme de baja', 'darse de baja', 'desuscribir', 'desuscribirme'],
  ...['cancelar suscripción', 'no más mensajes', 'basta', 'detener', 'parar'],
  // Portuguese; "parar" is the same
  ...[
    'pare',
    'sair',
    'descadastrar',
    'descadastre-me',
    'cancelar inscrição',
    'cancelar assinatura',
  ],
  ...['remover', 'chega', 'não quero mais mensagens', 'sem mais mensagens'],
  // Indonesian
  ...[
    'berhenti',
    'berhenti berlangganan',
    'hentikan',
    'setop',
    'jangan kirim lagi',
    'jangan kirim pesan lagi',
  ],
].join(',')
