// One letter beside the list: what it is, why, what to do, and everything that helps to decide.
import { useEffect, useRef } from 'react'
import { Tabs } from '../../parts/basics.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { usePaneHeading } from '../../parts/narrow.ts'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { useActorName } from './actors.ts'
import { decideWords } from './decide-words.ts'
import { failsAgain } from './fails-again.ts'
import { History, Trail } from './history.tsx'
import { type Inspection, useInspection, type Verb } from './letters.ts'
import { Payload } from './payload.tsx'
import { reasonWords } from './reason-words.ts'
import { toneOf, useWhy } from './reasons.tsx'
import { isType, typeWords } from './type-words.ts'
import { letterWords } from './words.ts'

interface InspectorProps {
  id: string
  onClose(): void
  /** Undefined: it is the last. */
  onNext: (() => void) | undefined
  onDecide(letter: Inspection, verb: Verb): void
}

export function Inspector({ id, onClose, onNext, onDecide }: InspectorProps) {
  const words = useWords(letterWords)
  const { data, error, refetch } = useInspection(id)
  const own = useRef<HTMLElement>(null)
  return (
    <aside className="letters-inspector" aria-label={words.inspector} ref={own}>
      {data ? (
        <Whole letter={data} onClose={onClose} onNext={onNext} onDecide={onDecide} />
      ) : (
        <>
          <Head onClose={onClose} onNext={onNext} />
          {error ? (
            <Trouble error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton lines={8} />
          )}
        </>
      )}
    </aside>
  )
}

function Whole({
  letter,
  onClose,
  onNext,
  onDecide,
}: Omit<InspectorProps, 'id'> & { letter: Inspection }) {
  const words = useWords(letterWords)
  const { search, ask } = usePlace()
  const format = useFormat()
  const tab = (['payload', 'audit'] as const).find((one) => one === search.tab) ?? 'happened'
  return (
    <>
      <Head letter={letter} onClose={onClose} onNext={onNext} />
      <div className="letters-body">
        <Why letter={letter} onDecide={(verb) => onDecide(letter, verb)} />
        <Tabs
          label={words.inspector}
          choices={[
            { value: 'happened', label: words.happened },
            { value: 'payload', label: words.payload },
            { value: 'audit', label: words.audit, count: format.number(letter.trail.length) },
          ]}
          chosen={tab}
          onChoose={(chosen) => ask({ tab: chosen === 'happened' ? undefined : chosen })}
        />
        <div role="tabpanel" aria-labelledby={`tab-${tab}`}>
          {tab === 'happened' && <History letter={letter} />}
          {tab === 'payload' && <Payload letter={letter} />}
          {tab === 'audit' && <Trail trail={letter.trail} />}
        </div>
        <Links letter={letter} />
        <p className="letters-note xs muted">
          <Icon name="shield" size={14} /> {words.looked}
        </p>
      </div>
    </>
  )
}

function Head({
  letter,
  onClose,
  onNext,
}: Pick<InspectorProps, 'onClose' | 'onNext'> & { letter?: Inspection }) {
  const words = useWords(letterWords)
  const { close } = useWords(common)
  const title = useRef<HTMLHeadingElement>(null)
  const Heading = usePaneHeading()
  const id = letter?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: another letter is another page to those who listen.
  useEffect(() => title.current?.focus({ preventScroll: true }), [id])
  return (
    <div className="letters-inspector-head">
      <button
        type="button"
        className="btn ghost sm square letters-back"
        aria-label={close}
        onClick={onClose}
      >
        <Icon name="back" />
      </button>
      <div className="letters-inspector-title">
        <Heading tabIndex={-1} ref={title} className="cut">
          {letter ? titleOf(letter, words) : words.inspector}
        </Heading>
        {letter && <Facts letter={letter} />}
      </div>
      {onNext && <IconButton icon="down" label={words.next} onClick={onNext} />}
      <IconButton className="letters-close" icon="x" label={close} onClick={onClose} />
    </div>
  )
}

type LetterWords = (typeof letterWords)['en']

function titleOf({ contact, outbound, kind }: Inspection, words: LetterWords): string {
  const who = contact?.name ?? (contact?.wa_id ? `+${contact.wa_id}` : undefined)
  if (who !== undefined) return words.to(who)
  return outbound || kind === 'outbound' || kind === 'unknown' ? words.toNobody : words.cameIn
}

function Facts({ letter }: { letter: Inspection }) {
  const types = useWords(typeWords)
  const { message_type, contact, phone_number_id } = letter
  const type = isType(message_type) ? types[message_type] : message_type
  const number = contact?.wa_id ? `+${contact.wa_id}` : phone_number_id
  return (
    <p className="xs muted cut">
      {type && `${type} · `}
      {number && <span className="num">{number} · </span>}
      <Time at={letter.created_at} as="ago" />
    </p>
  )
}

/** Which decisions there are for it, and what each is called. */
export function verbsFor(letter: Inspection): { verb: Verb; name: VerbName }[] {
  const isOut = letter.outbound !== null || letter.kind === 'outbound' || letter.kind === 'unknown'
  const discard = { verb: 'discard', name: 'discard' } as const
  if (!isOut) {
    const isKept = letter.event !== null && !letter.event.is_pruned
    return isKept ? [{ verb: 'requeue', name: 'process' }, discard] : [discard]
  }
  if (!letter.may_arrive_twice) return [{ verb: 'requeue', name: 'requeue' }, discard]
  return [{ verb: 'mark-sent', name: 'markSent' }, { verb: 'requeue', name: 'sendAgain' }, discard]
}

export type VerbName = keyof (typeof decideWords)['en']['verbs']

/** The first is what is suggested, but where the same once more would fail again. */
function lookOf({ reason }: Inspection, verb: Verb, isFirst: boolean) {
  if (verb === 'discard') return 'ghost'
  return isFirst && (!failsAgain(reason) || mendable.includes(reason)) ? 'primary' : 'plain'
}

const mendable: Inspection['reason'][] = ['template', 'account', 'unroutable']

function Why({ letter, onDecide }: { letter: Inspection; onDecide(verb: Verb): void }) {
  const reasons = useWords(reasonWords)
  const words = useWords(decideWords)
  const { states } = useWords(letterWords)
  const why = useWhy()
  const nameOf = useActorName()
  const { state, reason, decided_at } = letter
  if (state !== 'open') {
    return (
      <div className="letters-why plain">
        <Icon name="check" />
        <div>
          <b>{words.decidedBy(states[state], nameOf(letter.decided_by))}</b>{' '}
          {decided_at && <Time at={decided_at} />}
          {letter.decision_reason && <q className="quote">{letter.decision_reason}</q>}
        </div>
      </div>
    )
  }
  const isPruned = letter.event?.is_pruned
  return (
    <div className={`letters-why ${toneOf(letter)}`}>
      <Icon name={toneOf(letter) === 'plain' ? 'info' : 'alert'} />
      <div>
        <b>{reasons[reason].title}</b>
        <p>{isPruned ? words.pruned : why(letter)}</p>
        {letter.provider_code !== null && <q className="quote">{letter.error_message}</q>}
        <div className="row wrap">
          <Remedy letter={letter} />
          {verbsFor(letter).map(({ verb, name }, at) => (
            <Button
              key={verb}
              small
              look={lookOf(letter, verb, at === 0)}
              {...(verb === 'requeue' && { icon: 'again' as const })}
              data-verb={verb}
              onClick={() => onDecide(verb)}
            >
              {words.verbs[name]}…
            </Button>
          ))}
        </div>
      </div>
    </div>
  )
}

/** Where the cause is put right, if that is elsewhere. */
function Remedy({ letter }: { letter: Inspection }) {
  const words = useWords(letterWords)
  const reasons = useWords(reasonWords)
  const { conversation_id, tenant_id, reason } = letter
  if (tenant_id === null) return null
  const search = { tenant: tenant_id }
  if (reason === 'window' && conversation_id) {
    return (
      <ViewLink className="btn sm primary" to={`/inbox/${conversation_id}`} search={search}>
        <Icon name="template" /> {reasons.window.act}
      </ViewLink>
    )
  }
  if (reason === 'template') {
    return (
      <ViewLink className="btn sm" to="/templates" search={search}>
        <Icon name="template" /> {words.seeTemplates}
      </ViewLink>
    )
  }
  if (reason === 'account') {
    return (
      <ViewLink className="btn sm" to="/accounts" search={search}>
        <Icon name="phone" /> {words.seeAccounts}
      </ViewLink>
    )
  }
  return null
}

function Links({ letter }: { letter: Inspection }) {
  const words = useWords(letterWords)
  const { conversation_id, message_id, tenant_id } = letter
  const search = tenant_id === null ? {} : { tenant: tenant_id }
  return (
    <nav className="letters-part letters-links" aria-label={words.inspector}>
      {message_id && (
        <ViewLink to="/trace" search={{ ...search, q: message_id }}>
          <Icon name="trace" size={14} /> {words.seeTrace}
        </ViewLink>
      )}
      {conversation_id && (
        <ViewLink to={`/inbox/${conversation_id}`} search={search}>
          <Icon name="inbox" size={14} /> {words.openConversation}
        </ViewLink>
      )}
    </nav>
  )
}
