// Templates in the composer's place: chosen, filled in, seen as the contact will see them, and sent.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { get, post } from '../../../api/call.ts'
import { useSession } from '../../../api/session.tsx'
import type { Conversation, List } from '../../../api/types.ts'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../../../parts/states.tsx'
import { useNow } from '../../../parts/time.tsx'
import { useToasts } from '../../../parts/toast.tsx'
import { useLive } from '../../../shell/live.tsx'
import { ViewLink } from '../../../shell/place.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { contactName } from '../people.ts'
import { keepFilling, readFilling } from './kept-draft.ts'
import { pickerWords } from './picker-words.ts'
import type { Sending } from './sending.ts'
import { type Template, whyNot } from './template-fields.ts'
import { TemplateForm } from './template-form.tsx'
import { rememberLanguage, TemplateList } from './template-list.tsx'
import './picker.css'

interface TemplatePickerProps {
  conversation: Conversation
  sending: Sending
  /** Whether anything else could be sent too. */
  isOpen: boolean
  /** What was being written. */
  draft: string
  takesFocus: boolean
  /** Somebody asked for it by a key or a button, maybe while it was there already: then it takes the focus from anything. */
  timesAsked: number
  onDone(): void
}

export function TemplatePicker(props: TemplatePickerProps) {
  const { conversation, sending, isOpen, draft, takesFocus, timesAsked, onDone } = props
  const words = useWords(pickerWords)
  const own = useRef<HTMLDivElement>(null)
  const { data: templates, error, refetch } = useTemplates(conversation.phone_number_id)
  const [chosenId, setChosenId] = useState(() => readFilling(conversation.id).templateId)
  const [sentName, setSentName] = useState('')
  const isStopped = conversation.suppressions.some(({ scope }) => scope === 'marketing')
  const chosen = templates?.find(({ id }) => id === chosenId)
  const isChosen = chosen !== undefined && whyNot(chosen, isStopped) === undefined
  const toSearch = () => own.current?.querySelector<HTMLElement>('.picker-search input')?.focus()
  const isThere = templates !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: once there is something to search in, and when asked again.
  useEffect(() => {
    if (timesAsked > 0 || (takesFocus && document.activeElement === document.body)) toSearch()
  }, [isThere, timesAsked])

  const choose = (template: Template | undefined) => {
    setChosenId(template?.id)
    setSentName('')
    keepFilling(conversation.id, { templateId: template?.id, texts: {} })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    if (isOpen) onDone()
    else (document.activeElement as HTMLElement | null)?.blur()
  }
  return (
    <section ref={own} className="picker" aria-label={words.region} onKeyDown={onKeyDown}>
      <Head {...props} />
      {!isOpen && draft.trim() !== '' && (
        <p className="picker-draft">
          {words.draftKept(contactName(conversation))} <q className="cut">{draft.trim()}</q>
        </p>
      )}
      {error && !templates && <Trouble error={error} onRetry={() => void refetch()} />}
      {!error && !templates && <Skeleton lines={6} />}
      {templates?.length === 0 && <None phoneNumberId={conversation.phone_number_id} />}
      {templates && templates.length > 0 && (
        <div className={`picker-cols ${isChosen ? 'has-chosen' : ''}`}>
          <TemplateList
            templates={templates}
            isMarketingStopped={isStopped}
            chosenId={isChosen ? chosenId : undefined}
            onChoose={choose}
          />
          {isChosen ? (
            <TemplateForm
              key={chosen.id}
              template={chosen}
              conversation={conversation}
              onBack={() => choose(undefined)}
              onSend={(components, files) => {
                const { name, language } = chosen
                const given = components.length > 0 ? { components } : {}
                sending.send(
                  { type: 'template', template: { name, language: { code: language }, ...given } },
                  files,
                )
                rememberLanguage(language)
                choose(undefined)
                setSentName(name)
                if (isOpen) onDone()
                else toSearch()
              }}
            />
          ) : (
            <div className="picker-form">
              <Empty title={words.choose}>{words.chooseText(contactName(conversation))}</Empty>
            </div>
          )}
        </div>
      )}
      <span className="sr" role="status">
        {sentName && words.sent(sentName)}
      </span>
    </section>
  )
}

function Head({ conversation, isOpen, onDone }: TemplatePickerProps) {
  const words = useWords(pickerWords)
  const format = useFormat()
  const now = useNow()
  const { window_expires_at: closedAt } = conversation
  const name = contactName(conversation)
  if (isOpen) {
    return (
      <div className="picker-head is-open">
        <Icon name="template" />
        <span>
          <b className="strong">{words.open}.</b> <span className="soft">{words.openText}</span>
        </span>
        <IconButton icon="x" label={words.close} className="push" onClick={onDone} />
      </div>
    )
  }
  const day = closedAt === null ? '' : format.day(closedAt, now)
  return (
    <div className="picker-head" role="status">
      <Icon name="lock" className="warn" />
      <span>
        <b className="strong">
          {closedAt === null
            ? words.neverOpen(name)
            : words.closed(day.charAt(0).toLowerCase() + day.slice(1), format.time(closedAt))}
        </b>{' '}
        <span className="soft">
          {closedAt === null ? words.neverOpenText : words.closedText(name)}
        </span>
      </span>
    </div>
  )
}

/** All of them: a business has dozens, and search is at hand for those with hundreds. */
function useTemplates(phoneNumberId: string) {
  const queries = useQueryClient()
  const queryKey = ['templates', 'to-send', phoneNumberId]
  useLive(({ type }) => {
    if (type === 'template.updated' || type === 'stream.reset') {
      void queries.invalidateQueries({ queryKey })
    }
  })
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const all: Template[] = []
      for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
        const query = { phone_number_id: phoneNumberId, limit: 200, after }
        const page = await get<List<Template>>('/api/whatsapp/meta/templates', query, signal)
        all.push(...page.data)
        after = page.paging.next ?? undefined
      }
      return all
    },
    staleTime: 60_000,
  })
}

function None({ phoneNumberId }: { phoneNumberId: string }) {
  const words = useWords(pickerWords)
  const { may } = useSession()
  const queries = useQueryClient()
  const { complain } = useToasts()
  const [isBusy, setBusy] = useState(false)
  const sync = async () => {
    setBusy(true)
    try {
      await post('/api/whatsapp/meta/templates/sync', undefined, {
        query: { phone_number_id: phoneNumberId },
      })
      await queries.invalidateQueries({ queryKey: ['templates'] })
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  if (!may('admin')) return <Empty title={words.none}>{words.noneTextAgent}</Empty>
  return (
    <Empty
      title={words.none}
      actions={
        <>
          <ViewLink to="/templates" className="btn">
            {words.create}
          </ViewLink>
          <Button icon="again" busy={isBusy} onClick={() => void sync()}>
            {words.sync}
          </Button>
        </>
      }
    >
      {words.noneText}
    </Empty>
  )
}
