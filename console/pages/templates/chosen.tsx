// The chosen template: what Meta thinks of it and what to do, how it looks, its variables, and what may be done with it.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { Segments } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Inspector } from '../../parts/split.tsx'
import { Time } from '../../parts/time.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { type BusinessAccount, type Template, templatesPath, useKeepTemplate } from './data.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { readComponents, variablesOf } from './draft.ts'
import { toneOf } from './grouping.ts'
import { nameOf, Quality } from './list.tsx'
import { Preview } from './preview.tsx'
import { Refused } from './refused.tsx'
import { useSpeech } from './speech.ts'
import { templateWords } from './words.ts'
import { oneWords } from './words-of-one.ts'

interface ChosenProps {
  template: Template
  /** The same name in every language. */
  siblings: Template[]
  accounts: BusinessAccount[]
}

export function Chosen({ template, siblings, accounts }: ChosenProps) {
  const words = useWords(oneWords)
  const speech = useSpeech()
  const { go, search } = usePlace()
  return (
    <Inspector
      title={template.name}
      about={`${speech.language(template.language)} · ${speech.category(template.category)}`}
      onClose={() => go('/templates', search)}
    >
      {siblings.length > 1 && (
        <Segments
          label={words.language}
          choices={siblings.map(({ id, language }) => ({ value: id, label: language }))}
          chosen={template.id}
          onChoose={(id) => go(`/templates/${id}`, search, { replace: true })}
        />
      )}
      <Standing template={template} />
      <Looks template={template} />
      <Facts template={template} accounts={accounts} />
      <Acts key={template.id} template={template} siblings={siblings} />
    </Inspector>
  )
}

const bannerTones = { ok: 'ok', warn: '', bad: 'bad', plain: 'info' } as const
const bannerIcons = { ok: 'check', warn: 'warn', bad: 'alert', plain: 'clock' } as const

/** What Meta decided, why, and what to do about it. */
function Standing({ template }: { template: Template }) {
  const words = useWords(oneWords)
  const speech = useSpeech()
  const format = useFormat()
  const { status, rejection_reason: reason, status_detail: detail, next_category: next } = template
  const tone = toneOf(status)
  const texts: Record<string, string> = words.stateTexts
  const reasons: Record<string, string> = words.reasons
  const why = reason === null ? undefined : (reasons[reason] ?? `${words.metaSays}: “${reason}”`)
  return (
    <>
      <div className={`banner ${bannerTones[tone]}`} role="status">
        <Icon name={bannerIcons[tone]} />
        <p>
          <b className="strong">{speech.state(status)}.</b>
          {status === 'REJECTED' && why && <> {why}</>} {texts[status]}
          {detail && (
            <>
              {' '}
              {words.metaSays}: “{detail}”
            </>
          )}
        </p>
        {template.is_sendable && status === 'APPROVED' && (
          <ViewLink className="btn" to="/inbox">
            <Icon name="send" />
            {words.sendIt}
          </ViewLink>
        )}
        <Unpause template={template} />
      </div>
      {next && (
        <div className="banner">
          <Icon name="warn" />
          <p>
            {next.at === null
              ? words.nextCategory(speech.category(next.category))
              : words.nextCategoryOn(
                  speech.category(next.category),
                  format.day(next.at, Date.now()),
                )}
          </p>
        </div>
      )}
    </>
  )
}

function Unpause({ template }: { template: Template }) {
  const words = useWords(oneWords)
  const { may } = useSession()
  const { say } = useToasts()
  const keep = useKeepTemplate()
  const unpause = useMutation({
    mutationFn: () => post<Template>(`${templatesPath}/${template.id}/unpause`),
    onSuccess: (changed) => {
      keep(changed)
      say(words.unpaused)
    },
  })
  if (template.status !== 'PAUSED' || !may('admin')) return null
  return (
    <>
      <Button icon="play" busy={unpause.isPending} onClick={() => unpause.mutate()}>
        {words.unpause}
      </Button>
      {unpause.error && <Refused error={unpause.error} />}
    </>
  )
}

function Looks({ template }: { template: Template }) {
  const words = useWords(oneWords)
  if (template.components === null) return <p className="soft">{words.notSynced}</p>
  const format = template.parameter_format ?? 'POSITIONAL'
  const content = readComponents(template.components, format)
  const variables = variablesOf(content)
  return (
    <>
      <Preview content={content} format={format} />
      {variables.length > 0 && (
        <table className="table templates-variables">
          <thead>
            <tr>
              <th>{words.variables}</th>
              <th>{words.example}</th>
            </tr>
          </thead>
          <tbody>
            {variables.map(({ key, name }) => (
              <tr key={key}>
                <td className="mono">{`{{${name}}}`}</td>
                <td>{content.examples[key] || <span className="muted">{words.noExample}</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

function Facts({ template, accounts }: { template: Template; accounts: BusinessAccount[] }) {
  const words = useWords(oneWords)
  const listWords = useWords(templateWords)
  return (
    <dl className="facts xs" aria-label={words.facts}>
      <dt>{listWords.quality}</dt>
      <dd>
        <Quality quality={template.quality} />
      </dd>
      <dt>{listWords.account}</dt>
      <dd>{nameOf(template.waba_id, accounts)}</dd>
      {template.meta_id !== null && (
        <>
          <dt>{words.metaId}</dt>
          <dd>
            <Copy text={template.meta_id} />
          </dd>
        </>
      )}
      <dt>{words.updated}</dt>
      <dd>
        <Time at={template.updated_at} />
      </dd>
      {template.synced_at !== null && (
        <>
          <dt>{words.lastSynced}</dt>
          <dd>
            <Time at={template.synced_at} />
          </dd>
        </>
      )}
    </dl>
  )
}

/** For those who may; what Meta is sure to refuse is said instead of offered. */
function Acts({ template, siblings }: { template: Template; siblings: Template[] }) {
  const words = useWords(oneWords)
  const { may } = useSession()
  const { ask } = usePlace()
  const [isDeleting, setDeleting] = useState(false)
  if (!may('admin')) return null
  const reasons: Record<string, string> = words.cannotEdit
  const whyNot = reasons[template.status]
  const isKnown = template.components !== null && template.meta_id !== null
  return (
    <>
      {whyNot && <p className="hint">{whyNot}</p>}
      <div className="row">
        {!whyNot && isKnown && (
          <Button icon="edit" onClick={() => ask({ edit: '1' }, { replace: false })}>
            {words.edit}
          </Button>
        )}
        {template.status !== 'DISABLED' && template.meta_id !== null && (
          <Button look="danger" icon="trash" onClick={() => setDeleting(true)}>
            {words.delete}
          </Button>
        )}
      </div>
      {isDeleting && (
        <DeleteDialog template={template} siblings={siblings} onClose={() => setDeleting(false)} />
      )}
    </>
  )
}
