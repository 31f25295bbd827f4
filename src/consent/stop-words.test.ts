import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { isStopWord, stopWordsOf } from './stop-words.ts'

const words = stopWordsOf(readConfig({}, { mode: 'dev' }).stopWords)

describe('the words we come with', () => {
  test.each([
    'STOP',
    ' stop ',
    'Stop!!!',
    'stop 🛑',
    '“Stop”.',
    'ＳＴＯＰ',
    'opt-out',
    'Opt Out',
    'Unsubscribe.',
    '¡BASTA!',
    'Darme de baja',
    'CANCELAR SUSCRIPCION',
    'cancelar suscripción',
    'No mas mensajes',
    'Parar',
    'Pare',
    'SAIR',
    'nao quero mais mensagens',
    'Cancelar inscric\u0327a\u0303o',
    'Berhenti',
    'jangan  kirim\npesan lagi',
  ])('%j is one', (text) => {
    expect(isStopWord(text, words)).toBe(true)
  })

  test.each([
    'stop by tomorrow',
    'please don’t stop',
    'unstoppable',
    'nonstop',
    'I want to unsubscribe my brother',
    'baja la escalera',
    'parar para almorzar',
    'cancel',
    'no',
    'end',
    '🛑',
    '',
    ' ',
    `stop${' '.repeat(400)}`,
    undefined,
  ])('%j is none', (text) => {
    expect(isStopWord(text, words)).toBe(false)
  })

  test('a long text is not worked through', () => {
    expect(isStopWord('\u0301'.repeat(65_000), words)).toBe(false)
  })
})

test('words of one’s own take their place, and `off` leaves none', () => {
  const own = stopWordsOf(['Ya no', ' ¡Fuera! '])
  expect(isStopWord('ya NO!', own)).toBe(true)
  expect(isStopWord('fuera', own)).toBe(true)
  expect(isStopWord('stop', own)).toBe(false)
  expect(isStopWord('', stopWordsOf(['!!!']))).toBe(false)
  for (const none of [['off'], ['OFF'], []]) {
    expect(isStopWord('stop', stopWordsOf(none))).toBe(false)
    expect(isStopWord('off', stopWordsOf(none))).toBe(false)
  }
})
