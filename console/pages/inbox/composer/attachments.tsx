// Files that will be sent, each with what is wrong with it.
import { useEffect, useState } from 'react'
import { IconButton } from '../../../parts/button.tsx'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import type { FileKind, FileProblem, JudgedFile } from './limits.ts'
import { composerWords } from './words.ts'

const icons: Record<FileKind, IconName> = {
  audio: 'mic',
  document: 'file',
  image: 'image',
  sticker: 'smile',
  video: 'video',
}

interface AttachmentsProps {
  files: JudgedFile[]
  onFiles(files: JudgedFile[]): void
}

export function Attachments({ files, onFiles }: AttachmentsProps) {
  const words = useWords(composerWords)
  const format = useFormat()
  const problemText = useFileProblem()
  if (files.length === 0) return null
  return (
    <ul className="composer-files">
      {files.map((one) => (
        <li key={nameplate(one.file)} className={one.problem ? 'is-bad' : ''}>
          <Thumbnail {...one} />
          <span className="composer-file">
            <b className="cut">{one.file.name}</b>
            <small role={one.problem && 'alert'}>
              {one.problem ? problemText(one.problem) : format.bytes(one.file.size)}
            </small>
          </span>
          <IconButton
            icon="x"
            label={words.remove(one.file.name)}
            onClick={() => onFiles(files.filter((other) => other !== one))}
          />
        </li>
      ))}
    </ul>
  )
}

/** The same file chosen twice is one file. */
export const nameplate = ({ name, size, lastModified }: File) => `${name} ${size} ${lastModified}`

/** What is wrong with a file, in words. */
export function useFileProblem(): (problem: FileProblem) => string {
  const words = useWords(composerWords)
  const format = useFormat()
  return (problem) => {
    if (problem.kind === 'type') return words.badType
    if (problem.kind === 'empty') return words.emptyFile
    const { of, max } = problem
    const megabytes = max / 1024 / 1024
    const size =
      megabytes >= 1 ? `${format.number(megabytes)} MB` : `${format.number(max / 1024)} kB`
    return words.tooLarge(words.kinds[of], size)
  }
}

function Thumbnail({ file, kind, problem }: JudgedFile) {
  const isPicture = !problem && (kind === 'image' || kind === 'sticker')
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!isPicture) return
    const url = URL.createObjectURL(file)
    setAddress(url)
    return () => URL.revokeObjectURL(url)
  }, [file, isPicture])
  return (
    <span className="composer-thumb">
      {address ? <img src={address} alt="" /> : <Icon name={kind ? icons[kind] : 'file'} />}
    </span>
  )
}
