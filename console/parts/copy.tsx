// An id with a button that copies it.
import { useEffect, useState } from 'react'
import { common } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { IconButton } from './button.tsx'

export function Copy({ text, shown = text }: { text: string; shown?: string }) {
  return (
    <span className="row" style={{ gap: 4 }}>
      <span className="mono cut" title={text}>
        {shown}
      </span>
      <CopyButton text={text} />
    </span>
  )
}

export function CopyButton({ text }: { text: string }) {
  const words = useWords(common)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const over = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(over)
  }, [isCopied])
  return (
    <>
      <IconButton
        icon={isCopied ? 'check' : 'copy'}
        label={isCopied ? words.copied : words.copy}
        onClick={(event) => {
          event.stopPropagation()
          navigator.clipboard.writeText(text).then(
            () => setCopied(true),
            () => undefined,
          )
        }}
      />
      <span className="sr" aria-live="polite">
        {isCopied && words.copied}
      </span>
    </>
  )
}

/** Something that is shown once. */
export function Secret({ text }: { text: string }) {
  return (
    <div className="secret">
      <span style={{ flex: 1 }}>{text}</span>
      <CopyButton text={text} />
    </div>
  )
}
