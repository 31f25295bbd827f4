// Files in messages. A picture is fetched when its row is drawn, which is when it comes near; everything else when it is
// asked for. No file is ever opened in a page of its own: what somebody sent must not run where the console runs.
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { getFile } from '../../../api/call.ts'
import { IconButton } from '../../../parts/button.tsx'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { contentWords } from './content-words.ts'
import { type Json, recordIn, textIn } from './json.ts'
import { MessageText, SafeLink } from './message-text.tsx'
import { type Shown, useThread } from './shown.ts'
import { plainName, safeHref } from './text.ts'

export const mediaTypes = ['image', 'sticker', 'video', 'audio', 'document']

/** The file as an address of this page, for as long as it is shown. */
function useFile(mediaId: string | null, isWanted: boolean) {
  const query = useQuery({
    queryKey: ['file', mediaId],
    queryFn: ({ signal }) => getFile(`/api/whatsapp/meta/media/${mediaId}`, signal),
    enabled: isWanted && mediaId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    structuralSharing: false,
  })
  const [url, setUrl] = useState<string>()
  const blob = query.data
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => {
      setUrl(undefined)
      URL.revokeObjectURL(made)
    }
  }, [blob])
  return { url, error: query.error, retry: () => void query.refetch() }
}

const icons: Record<string, IconName> = {
  image: 'image',
  sticker: 'smile',
  video: 'video',
  audio: 'mic',
  document: 'file',
}

export function MediaContent({ shown }: { shown: Shown }) {
  const { type } = shown
  const file = recordIn(shown.content[type])
  const caption = textIn(file.caption)
  return (
    <>
      {shown.media === 'stored' ? (
        <StoredFile shown={shown} file={file} />
      ) : (
        <MissingFile shown={shown} file={file} />
      )}
      {caption && <MessageText text={caption} />}
    </>
  )
}

function StoredFile({ shown, file }: { shown: Shown; file: Json }) {
  switch (shown.type) {
    case 'image':
    case 'sticker':
      return <Picture shown={shown} />
    case 'video':
    case 'audio':
      return <Playable shown={shown} />
    default:
      return <Download shown={shown} file={file} />
  }
}

function Picture({ shown }: { shown: Shown }) {
  const { name, firm } = useThread()
  const words = useWords(contentWords)
  const { url, error, retry } = useFile(shown.media_id, true)
  const [isBroken, setBroken] = useState(false)
  const who = shown.direction === 'inbound' ? name : firm
  const label = shown.type === 'sticker' ? words.stickerFrom(who) : words.photoFrom(who)
  if (error) return <FileBox shown={shown} note={words.loadFailed} onRetry={retry} />
  if (isBroken) return <FileBox shown={shown} note={words.fileBroken} />
  return (
    <span className={`thread-picture ${shown.type}`}>
      {url ? (
        <img src={url} alt={label} draggable={false} onError={() => setBroken(true)} />
      ) : (
        <span className="skeleton" role="img" aria-label={label} />
      )}
    </span>
  )
}

function Playable({ shown }: { shown: Shown }) {
  const words = useWords(contentWords)
  const [isWanted, setWanted] = useState(false)
  const { url, error, retry } = useFile(shown.media_id, isWanted)
  const [isBroken, setBroken] = useState(false)
  if (error) return <FileBox shown={shown} note={words.loadFailed} onRetry={retry} />
  if (isBroken) return <FileBox shown={shown} note={words.fileBroken} />
  if (url && shown.type === 'video') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: nobody made captions for what a customer sends.
      <video className="thread-video" src={url} controls autoPlay onError={() => setBroken(true)} />
    )
  }
  if (url) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: nobody made captions for what a customer sends.
      <audio className="thread-audio" src={url} controls autoPlay onError={() => setBroken(true)} />
    )
  }
  return (
    <FileBox
      shown={shown}
      button={
        <IconButton
          icon="play"
          label={words.play}
          aria-busy={isWanted}
          onClick={() => setWanted(true)}
        />
      }
    />
  )
}

function Download({ shown, file }: { shown: Shown; file: Json }) {
  const words = useWords(contentWords)
  const [isWanted, setWanted] = useState(false)
  const { url, error, retry } = useFile(shown.media_id, isWanted)
  const filename = filenameOf(file) ?? words.kind.document
  useEffect(() => {
    if (!url) return
    const link = document.createElement('a')
    link.href = url
    link.download = filename
    link.click()
    setWanted(false)
  }, [url, filename])
  if (error) return <FileBox shown={shown} note={words.loadFailed} onRetry={retry} />
  return (
    <FileBox
      shown={shown}
      button={
        <IconButton
          icon="download"
          label={`${words.download} ${filename}`}
          aria-busy={isWanted}
          onClick={() => setWanted(true)}
        />
      }
    />
  )
}

const filenameOf = (file: Json) => {
  const name = textIn(file.filename)
  return name && plainName(name).slice(0, 240)
}

/** Still on its way, gone, or somewhere else. */
function MissingFile({ shown, file }: { shown: Shown; file: Json }) {
  const words = useWords(contentWords)
  const link = safeHref(file.link)
  if (shown.media === null && link) {
    return (
      <FileBox shown={shown}>
        {words.fileElsewhere} <SafeLink href={link}>{new URL(link).host}</SafeLink>
      </FileBox>
    )
  }
  if (shown.media === null) return <FileBox shown={shown} note={words.fileAtMeta} />
  if (shown.media === 'expired') return <FileBox shown={shown} note={words.fileGone} />
  const needsAccess = ['ACCOUNT_NOT_FOUND', 'ACCOUNT_NEEDS_REAUTH', 'ACCESS_REFUSED']
  if (needsAccess.includes(shown.media_error ?? '')) {
    return <FileBox shown={shown} note={words.fileAccess} />
  }
  if (shown.media === 'pending') return <FileBox shown={shown} note={words.fetching} isWaiting />
  const isTooLarge = shown.media_error === 'TOO_LARGE'
  return <FileBox shown={shown} note={isTooLarge ? words.fileTooLarge : words.fileFailed} />
}

function FileBox({
  shown,
  note,
  button,
  isWaiting,
  onRetry,
  children,
}: {
  shown: Shown
  note?: string
  button?: ReactNode
  isWaiting?: boolean
  onRetry?(): void
  children?: ReactNode
}) {
  const words = useWords(contentWords)
  const format = useFormat()
  const file = recordIn(shown.content[shown.type])
  const kinds: Record<string, string> = words.kind
  const kind = file.voice === true ? words.kind.voice : (kinds[shown.type] ?? shown.type)
  const named = filenameOf(file) ?? kind
  const facts = [
    shown.media_bytes === null ? undefined : format.bytes(shown.media_bytes),
    fileKind(file),
  ].filter((fact) => fact !== undefined)
  return (
    <div className={`thread-file ${isWaiting ? 'is-waiting' : ''}`}>
      <span className="thread-file-icon">
        <Icon name={icons[shown.type] ?? 'file'} size={20} />
      </span>
      <span className="thread-file-words">
        <b className="cut" dir="auto" title={named}>
          {named}
        </b>
        <small>{children ?? note ?? facts.join(' · ')}</small>
        {note && shown.media_error && <small className="mono">{shown.media_error}</small>}
      </span>
      {onRetry ? <IconButton icon="again" label={words.tryAgain} onClick={onRetry} /> : button}
    </div>
  )
}

/** `PDF`, from the filename's end or from the type. */
function fileKind(file: Json): string | undefined {
  const end = /\.([a-z0-9]{1,5})$/i.exec(filenameOf(file) ?? '')?.[1]
  const type = /^[a-z]+\/([a-z0-9]{1,5})\b/i.exec(textIn(file.mime_type) ?? '')?.[1]
  return (end ?? type)?.toUpperCase()
}
