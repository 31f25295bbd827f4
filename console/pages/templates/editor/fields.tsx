// Who it is for and what it is called, and the parts of the message itself.
import { type ReactNode, useRef } from 'react'
import { Field, Segments } from '../../../parts/basics.tsx'
import { Button } from '../../../parts/button.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import type { BusinessAccount } from '../data.ts'
import { formatOf, headerKinds, nextVariable, variablesOf } from '../draft.ts'
import { useSpeech } from '../speech.ts'
import { templateWords } from '../words.ts'
import type { FormPart } from './form.ts'
import { languageCodes } from './languages.ts'
import { SampleField } from './sample-field.tsx'
import { editorWords } from './words.ts'

export function NameFields({
  form: { draft, change, problemOf },
  accounts,
}: {
  form: FormPart
  accounts: BusinessAccount[]
}) {
  const words = useWords(editorWords)
  const speech = useSpeech()
  const languages = languageCodes
    .map((code) => ({ code, name: speech.language(code) }))
    .toSorted((a, b) => a.name.localeCompare(b.name))
  return (
    <>
      {accounts.length > 1 && (
        <Field label={words.account}>
          {(tied) => (
            <select
              {...tied}
              className="control"
              value={draft.accountId}
              onChange={(event) => change({ accountId: event.target.value }, 'account')}
            >
              {accounts.map(({ accountId, numbers }) => (
                <option key={accountId} value={accountId}>
                  {numbers}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <div className="templates-pair">
        <Field label={words.name} hint={words.nameHint} problem={problemOf('name')}>
          {(tied) => (
            <input
              {...tied}
              className="control"
              name="name"
              autoComplete="off"
              spellCheck={false}
              value={draft.name}
              onChange={(event) => change({ name: asName(event.target.value) }, 'name')}
            />
          )}
        </Field>
        <Field label={words.language} problem={problemOf('language')}>
          {(tied) => (
            <select
              {...tied}
              className="control"
              name="language"
              value={draft.language}
              onChange={(event) => change({ language: event.target.value }, 'name')}
            >
              {languages.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name} · {code}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </>
  )
}

/** As Meta takes it, from whatever is written. */
export function asName(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/[^a-z0-9_]/g, '')
    .slice(0, 512)
}

export function CategoryField({ form: { draft, change } }: { form: FormPart }) {
  const words = useWords(editorWords)
  const { categories } = useWords(templateWords)
  return (
    <fieldset className="templates-choices">
      <legend className="label">{words.category}</legend>
      {(['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const).map((category) => (
        <label key={category} className="templates-choice">
          <input
            type="radio"
            name="category"
            value={category}
            checked={draft.category === category}
            onChange={() => change({ category }, 'category')}
          />
          <span>
            <b className="strong">{categories[category]}</b>
            <span className="xs muted">{words.categoryHints[category]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

export function MessageFields({
  form,
  accountId,
}: {
  form: FormPart
  accountId: string | undefined
}) {
  const words = useWords(editorWords)
  const { draft, write, problemOf } = form
  const { header, body, footer } = draft.content
  const kinds = header.kind === 'OTHER' ? (['OTHER', ...headerKinds] as const) : headerKinds
  const writing = useRef<HTMLTextAreaElement>(null)
  const addVariable = () => {
    const at = writing.current?.selectionStart ?? body.length
    const variable = nextVariable(draft.content)
    write({ body: body.slice(0, at) + variable + body.slice(at) }, 'body')
    const end = at + variable.length
    // Once the new text is there, writing goes on behind the variable.
    requestAnimationFrame(() => {
      writing.current?.focus()
      writing.current?.setSelectionRange(end, end)
    })
  }
  return (
    <>
      <div>
        <span className="label">{words.header}</span>
        <Segments
          label={words.header}
          choices={kinds.map((kind) => ({ value: kind, label: words.headers[kind] }))}
          chosen={header.kind}
          onChoose={(kind) => write({ header: { ...header, kind, handle: '' } }, 'kind')}
        />
        {header.kind === 'LOCATION' && <p className="hint">{words.locationHint}</p>}
      </div>
      {header.kind === 'TEXT' && (
        <Field
          label={words.headerText}
          hint={<Count text={header.text} max={60} />}
          problem={problemOf('header')}
        >
          {(tied) => (
            <input
              {...tied}
              className="control"
              name="header"
              value={header.text}
              onChange={(event) =>
                write({ header: { ...header, text: event.target.value } }, 'header')
              }
            />
          )}
        </Field>
      )}
      <SampleField form={form} accountId={accountId} />
      <Field
        label={words.body}
        hint={
          <Count text={body} max={1024}>
            {words.bodyHint}
          </Count>
        }
        problem={problemOf('body')}
      >
        {(tied) => (
          <textarea
            {...tied}
            ref={writing}
            className="control templates-body"
            name="body"
            value={body}
            onChange={(event) => write({ body: event.target.value }, 'body')}
          />
        )}
      </Field>
      <div>
        <Button small icon="plus" onClick={addVariable}>
          {words.addVariable}
        </Button>
      </div>
      <ExampleFields form={form} />
      <Field
        label={words.footer}
        hint={footer === '' ? undefined : <Count text={footer} max={60} />}
        problem={problemOf('footer')}
      >
        {(tied) => (
          <input
            {...tied}
            className="control"
            name="footer"
            value={footer}
            onChange={(event) => write({ footer: event.target.value }, 'footer')}
          />
        )}
      </Field>
    </>
  )
}

/** What a field says of itself, and how much of it is used. */
function Count({ text, max, children }: { text: string; max: number; children?: ReactNode }) {
  const { number } = useFormat()
  return (
    <span className="templates-count">
      <span>{children}</span>
      <span className="num">
        {number([...text].length)}/{number(max)}
      </span>
    </span>
  )
}

function ExampleFields({ form: { draft, write, problemOf } }: { form: FormPart }) {
  const words = useWords(editorWords)
  const { content } = draft
  const variables = variablesOf(content)
  // What stands between the braces first has to be a variable at all.
  const fitting = variables.filter(({ name }) =>
    formatOf(content) === 'NAMED' ? /^[a-z0-9_]+$/.test(name) : /^[1-9]\d*$/.test(name),
  )
  if (fitting.length === 0) return null
  return (
    <fieldset className="templates-examples">
      <legend className="label">{words.examples}</legend>
      <p className="hint">{words.examplesHint}</p>
      <div className="templates-pair">
        {fitting.map(({ key, place, name }) => {
          const example = content.examples[key] ?? ''
          return (
            <Field
              key={key}
              label={words.exampleFor(`{{${name}}}`)}
              problem={example.trim() === '' ? problemOf(`${place} example`) : undefined}
            >
              {(tied) => (
                <input
                  {...tied}
                  className="control"
                  name={`example ${key}`}
                  value={example}
                  onChange={(event) =>
                    write(
                      { examples: { ...content.examples, [key]: event.target.value } },
                      `${place} example`,
                    )
                  }
                />
              )}
            </Field>
          )
        })}
      </div>
    </fieldset>
  )
}

/** Of an authentication template: Meta writes the rest. */
export function CodeFields({ form: { draft, write, problemOf } }: { form: FormPart }) {
  const words = useWords(editorWords)
  const { code, buttons } = draft.content
  const [button] = buttons
  return (
    <>
      <label className="row">
        <input
          type="checkbox"
          className="check"
          checked={code.isAdvised}
          onChange={(event) =>
            write({ code: { ...code, isAdvised: event.target.checked } }, 'code')
          }
        />
        {words.security}
      </label>
      <Field label={words.minutes} problem={problemOf('footer')}>
        {(tied) => (
          <input
            {...tied}
            className="control templates-minutes"
            type="number"
            min={1}
            max={90}
            name="minutes"
            value={code.minutes}
            onChange={(event) =>
              write({ code: { ...code, minutes: event.target.value } }, 'footer')
            }
          />
        )}
      </Field>
      <Field label={words.codeButton} problem={problemOf('buttons 0 text')}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            name="code-button"
            value={button?.text ?? ''}
            onChange={(event) =>
              button &&
              write({ buttons: [{ ...button, text: event.target.value }] }, 'buttons 0 text')
            }
          />
        )}
      </Field>
    </>
  )
}
