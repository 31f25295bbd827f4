// Writing a template, new or changed: fields at the left, what people will see at the right, checked while one writes.
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { patch, post } from '../../../api/call.ts'
import { Button, IconButton } from '../../../parts/button.tsx'
import { useToasts } from '../../../parts/toast.tsx'
import { usePlace } from '../../../shell/place.tsx'
import { common } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import { type BusinessAccount, type Template, templatesPath, useKeepTemplate } from '../data.ts'
import { formatOf, newButton } from '../draft.ts'
import { Preview } from '../preview.tsx'
import { Refused } from '../refused.tsx'
import { useSpeech } from '../speech.ts'
import { ButtonFields } from './button-fields.tsx'
import { CategoryField, CodeFields, MessageFields, NameFields } from './fields.tsx'
import {
  type Draft,
  definitionOf,
  draftOf,
  type FormPart,
  problemsIn,
  useDraft,
  useProblems,
} from './form.ts'
import { useProblemWords } from './problems.ts'
import { editorWords } from './words.ts'

interface EditorProps {
  /** Undefined: a new one. */
  template: Template | undefined
  templates: Template[]
  accounts: BusinessAccount[]
}

export function Editor({ template, templates, accounts }: EditorProps) {
  const words = useWords(editorWords)
  const speech = useSpeech()
  const { back } = useWords(common)
  const { go } = usePlace()
  const { form, problems, send, error, isBusy, isSame } = useForm(template, templates, accounts)
  const { draft } = form
  const isCode = draft.category === 'AUTHENTICATION'
  const own = useRef<HTMLFormElement>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (tries > 0) own.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [tries])
  const leave = () => go(template ? `/templates/${template.id}` : '/templates')
  const accountId = template
    ? accounts.find(({ wabaId }) => wabaId === template.waba_id)?.accountId
    : draft.accountId
  return (
    <form
      ref={own}
      className="templates-editor"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!send()) setTries(tries + 1)
      }}
    >
      <div className="templates-form">
        <header className="row">
          <IconButton icon="back" label={back} onClick={leave} />
          <h1>{template ? words.editTitle(template.name) : words.newTitle}</h1>
        </header>
        <p className="soft">
          {template
            ? template.status === 'APPROVED'
              ? words.editText
              : words.editTextOpen
            : words.newText}
        </p>
        {template ? (
          <p>
            <b className="strong">{template.name}</b> · {speech.language(template.language)} ·{' '}
            {speech.category(template.category)}
          </p>
        ) : (
          <NameFields form={form} accounts={accounts} />
        )}
        {template?.status !== 'APPROVED' && <CategoryField form={form} />}
        {!template && !isCode && <Recategorise form={form} />}
        {isCode ? (
          <CodeFields form={form} />
        ) : (
          <>
            <MessageFields form={form} accountId={accountId} />
            <ButtonFields form={form} />
          </>
        )}
        {draft.content.rest.length > 0 && <p className="hint">{words.kept}</p>}
        {error !== null && !problems && <Refused error={error} />}
        <div className="row wrap templates-send">
          <Button look="primary" icon="send" type="submit" busy={isBusy}>
            {template ? words.saveEdit : words.send}
          </Button>
          {isSame && tries > 0 && <span className="hint">{words.nothingChanged}</span>}
        </div>
      </div>
      <aside className="templates-beside">
        <h2 className="label">{words.preview}</h2>
        <Preview
          content={draft.content}
          format={formatOf(draft.content)}
          draftOf={draft.category}
        />
        {isCode && <p className="hint">{words.exampleWords}</p>}
      </aside>
    </form>
  )
}

function Recategorise({ form: { draft, change } }: { form: FormPart }) {
  const words = useWords(editorWords)
  return (
    <label className="row">
      <input
        type="checkbox"
        className="check"
        checked={draft.mayRecategorise}
        onChange={(event) => change({ mayRecategorise: event.target.checked }, 'category')}
      />
      {words.mayRecategorise}
    </label>
  )
}

function useForm(
  template: Template | undefined,
  templates: Template[],
  accounts: BusinessAccount[],
) {
  const words = useWords(editorWords)
  const inWords = useProblemWords()
  const { go } = usePlace()
  const { say } = useToasts()
  const keep = useKeepTemplate()
  const { draft, setDraft, forget } = useDraft(template, accounts)
  const { problems: checked, isChecked } = useProblems(draft)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [isTried, setTried] = useState(false)
  const definition = definitionOf(draft)
  const isSame =
    template !== undefined &&
    JSON.stringify(definition) === JSON.stringify(definitionOf(draftOf(template)))
  const sending = useMutation({
    mutationFn: () => sendTo(template, draft, definition),
    onSuccess: (made) => {
      forget()
      keep(made)
      say(words.sent)
      go(`/templates/${made.id}`)
    },
  })
  const refused = sending.error ? problemsIn(sending.error, definition.components) : undefined
  const problems = {
    ...(!template && nameProblem(draft, templates, accounts, words)),
    ...refused,
    ...checked,
  }
  const change = (more: Partial<Draft>, field: string) => {
    const next = { ...draft, ...more }
    // Its one button belongs to it.
    const [button] = next.content.buttons
    if (next.category === 'AUTHENTICATION' && button?.kind !== 'OTHER') {
      next.content = { ...next.content, buttons: [newButton('OTHER')] }
    } else if (next.category !== 'AUTHENTICATION' && draft.category === 'AUTHENTICATION') {
      next.content = { ...next.content, buttons: [] }
    }
    setDraft(next)
    setTouched(new Set([...touched, field]))
    sending.reset()
  }
  const form: FormPart = {
    draft,
    change,
    write: (content, field) => change({ content: { ...draft.content, ...content } }, field),
    problemOf: (field) =>
      isTried || touched.has(field) ? inWords(problems[field as keyof typeof problems]) : undefined,
  }
  return {
    form,
    problems: refused,
    error: sending.error,
    isBusy: sending.isPending,
    isSame,
    /** False when something is to be mended first. */
    send(): boolean {
      setTried(true)
      const isKnownBad = isChecked && Object.keys(problems).length > 0
      const isNameless = !template && problems.name !== undefined
      if (isKnownBad || isNameless || isSame) return false
      sending.mutate()
      return true
    },
  }
}

function nameProblem(
  { name, language, accountId }: Draft,
  templates: Template[],
  accounts: BusinessAccount[],
  words: (typeof editorWords)['en'],
): { name?: string } {
  if (name === '') return { name: words.problems.required }
  const wabaId = accounts.find((one) => one.accountId === accountId)?.wabaId
  const isTaken = templates.some(
    (one) => one.name === name && one.language === language && one.waba_id === wabaId,
  )
  return isTaken ? { name: words.taken } : {}
}

function sendTo(
  template: Template | undefined,
  { accountId, name, language, category, mayRecategorise }: Draft,
  definition: ReturnType<typeof definitionOf>,
): Promise<Template> {
  if (template) {
    const isOther = template.status !== 'APPROVED' && category !== template.category
    return patch<Template>(`${templatesPath}/${template.id}`, {
      components: definition.components,
      ...(isOther && { category }),
    })
  }
  return post<Template>(templatesPath, {
    ...(accountId !== '' && { account_id: accountId }),
    name,
    language,
    ...definition,
    ...(category !== 'AUTHENTICATION' && { allow_category_change: mayRecategorise }),
  })
}
