// The file that Meta looks at in its review of a template with a picture, video or document on top.
import { useMutation } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { post } from '../../../api/call.ts'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useProblemText } from '../../../parts/states.tsx'
import { useWords } from '../../../words/language.tsx'
import { templatesPath } from '../data.ts'
import type { FormPart } from './form.ts'
import { editorWords } from './words.ts'

const accepted = {
  IMAGE: 'image/jpeg,image/png',
  VIDEO: 'video/mp4',
  DOCUMENT: 'application/pdf',
}

export function SampleField({
  form: { draft, write, problemOf },
  accountId,
}: {
  form: FormPart
  accountId: string | undefined
}) {
  const words = useWords(editorWords)
  const textOf = useProblemText()
  const id = useId()
  const file = useRef<HTMLInputElement>(null)
  const { header } = draft.content
  const upload = useMutation({
    mutationFn: async (chosen: File) => {
      const form = new FormData()
      form.append('file', chosen)
      const { media_id } = await post<{ media_id: string }>('/api/whatsapp/meta/media', form)
      return post<{ handle: string }>(`${templatesPath}/samples`, {
        media_id,
        ...(accountId && { account_id: accountId }),
      })
    },
    onSuccess: ({ handle }) => write({ header: { ...header, handle } }, 'header example'),
  })
  const { kind } = header
  if (kind !== 'IMAGE' && kind !== 'VIDEO' && kind !== 'DOCUMENT') return null
  const problem = upload.error
    ? textOf(upload.error)
    : header.handle === ''
      ? problemOf('header example')
      : undefined
  return (
    <div>
      <label className="label" htmlFor={id}>
        {words.sample} · {words.sampleTypes[kind]}
      </label>
      <div className="row wrap">
        <input
          ref={file}
          id={id}
          className="sr"
          type="file"
          tabIndex={-1}
          accept={accepted[kind]}
          onChange={(event) => {
            const [chosen] = event.target.files ?? []
            if (chosen) upload.mutate(chosen)
            event.target.value = ''
          }}
        />
        <Button
          icon="clip"
          busy={upload.isPending}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint`}
          onClick={() => file.current?.click()}
        >
          {header.handle === '' ? words.chooseFile : words.replaceFile}
        </Button>
        <span className="soft" role="status">
          {upload.isPending && words.uploading}
          {!upload.isPending && header.handle !== '' && (
            <>
              <Icon name="check" className="ok" /> {words.uploaded}
            </>
          )}
        </span>
      </div>
      <p id={`${id}-hint`} className={problem ? 'hint bad' : 'hint'}>
        {problem ?? words.sampleHint}
      </p>
    </div>
  )
}
