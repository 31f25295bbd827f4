// Kinds of messages, in words.
import { defineWords } from '../../words/define.ts'

export const typeWords = defineWords({
  en: {
    text: 'Text',
    template: 'Template',
    image: 'Photo',
    video: 'Video',
    audio: 'Audio',
    document: 'Document',
    sticker: 'Sticker',
    location: 'Location',
    contacts: 'Contacts',
    interactive: 'Buttons or list',
    reaction: 'Reaction',
  },
  es: {
    text: 'Texto',
    template: 'Plantilla',
    image: 'Foto',
    video: 'Video',
    audio: 'Audio',
    document: 'Documento',
    sticker: 'Sticker',
    location: 'Ubicación',
    contacts: 'Contactos',
    interactive: 'Botones o lista',
    reaction: 'Reacción',
  },
  pt: {
    text: 'Texto',
    template: 'Modelo',
    image: 'Foto',
    video: 'Vídeo',
    audio: 'Áudio',
    document: 'Documento',
    sticker: 'Figurinha',
    location: 'Localização',
    contacts: 'Contatos',
    interactive: 'Botões ou lista',
    reaction: 'Reação',
  },
  id: {
    text: 'Teks',
    template: 'Templat',
    image: 'Foto',
    video: 'Video',
    audio: 'Audio',
    document: 'Dokumen',
    sticker: 'Stiker',
    location: 'Lokasi',
    contacts: 'Kontak',
    interactive: 'Tombol atau daftar',
    reaction: 'Reaksi',
  },
})

export const isType = (type: string | null): type is keyof (typeof typeWords)['en'] =>
  type !== null && type in typeWords.en
