// The doctor: each check in a sentence, with its repair beside it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { get, post } from '../../api/call.ts'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { useNow } from '../../parts/time.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { connectWords } from './connect-words.ts'
import { keys, useRefresh } from './data.ts'
import { doctorWords } from './doctor-words.ts'
import { type Facts, findingWords } from './finding-words.ts'
import type { Account, Check, DoctorReport, RepairReport } from './types.ts'

const pathOf = ({ id }: Account) => `/api/whatsapp/accounts/${id}/doctor`

export function Doctor({ account, onReconnect }: { account: Account; onReconnect(): void }) {
  const words = useWords(doctorWords)
  const queries = useQueryClient()
  const refresh = useRefresh()
  const [isAskingPin, setAskingPin] = useState(false)
  const key = keys.doctor(account.id)
  const report = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const found = await get<DoctorReport>(pathOf(account), undefined, signal)
      // What Meta told it is kept with the account too.
      refresh()
      return found
    },
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
  const repair = useMutation({
    mutationFn: (pin?: string) =>
      pin === undefined
        ? post<RepairReport>(`${pathOf(account)}/repair`)
        : post<RepairReport>(`${pathOf(account)}/register`, { pin }),
    onSuccess: ({ doctor }) => {
      queries.setQueryData(key, doctor)
      setAskingPin(false)
      refresh()
    },
  })
  if (!report.data) {
    if (report.error) return <Trouble error={report.error} onRetry={() => void report.refetch()} />
    return (
      <>
        <p className="accounts-pad muted">{words.checking}</p>
        <Skeleton lines={8} />
      </>
    )
  }
  return (
    <>
      <DoctorHead
        report={report.data}
        isChecking={report.isFetching}
        onCheck={() => void report.refetch()}
      />
      {repair.data && <RepairNote {...repair.data} />}
      {repair.error && !isAskingPin && <Trouble error={repair.error} />}
      <ul className="accounts-checks">
        {report.data.checks.map((check) => (
          <CheckRow key={check.name} check={check}>
            {needsReconnect.has(check.finding) && (
              <ReconnectButton check={check} onReconnect={onReconnect} />
            )}
            {check.repairable && (
              <Button
                small
                icon="wrench"
                busy={repair.isPending}
                onClick={() => repair.mutate(undefined)}
              >
                {words.repair}
              </Button>
            )}
            {check.finding === 'not_registered' && (
              <Button small onClick={() => setAskingPin(true)}>
                {words.withPin}
              </Button>
            )}
          </CheckRow>
        ))}
      </ul>
      {isAskingPin && (
        <PinDialog
          isBusy={repair.isPending}
          error={repair.error}
          onRegister={(pin) => repair.mutate(pin)}
          onClose={() => setAskingPin(false)}
        />
      )}
    </>
  )
}

const needsReconnect = new Set<Check['finding']>([
  'token_refused',
  'access_lost',
  'token_sealed',
  'token_expires_soon',
  'token_of_other_app',
  'messaging_not_permitted',
  'templates_not_permitted',
  'number_not_shown',
])

function ReconnectButton({ check, onReconnect }: { check: Check; onReconnect(): void }) {
  const words = useWords(connectWords)
  return (
    <Button
      small
      look={check.status === 'failed' ? 'primary' : 'plain'}
      icon="link"
      onClick={onReconnect}
    >
      {words.reconnect}
    </Button>
  )
}

const looks = {
  ok: ['check', 'ok'],
  warning: ['warn', 'warn'],
  failed: ['alert', 'bad'],
  waiting: ['clock', 'muted'],
} as const

/** What could not be asked yet waits for the access to be mended, and needs nobody. */
const lookOf = ({ finding, status }: Check) => (finding === 'not_known' ? 'waiting' : status)

function CheckRow({ check, children }: { check: Check; children: ReactNode }) {
  const words = useWords(doctorWords)
  const sayings = useWords(findingWords)
  const facts = useFacts(check)
  const said = check.facts.said
  const look = lookOf(check)
  const [icon, tone] = looks[look]
  return (
    <li>
      <Icon name={icon} label={words.status[look]} className={tone} />
      <div className="accounts-check-words">
        <b className="strong">{words.names[check.name]}</b>
        <p>{sayings[check.finding](facts)}</p>
        {typeof said === 'string' && said !== '' && (
          <p className="xs muted">{words.metaSays(said)}</p>
        )}
      </div>
      <div className="accounts-check-actions">{children}</div>
    </li>
  )
}

function useFacts({ facts }: Check): Facts {
  const format = useFormat()
  const now = useNow()
  const text = (name: string) => String(facts[name] ?? '')
  const count = (name: string) => {
    const value = facts[name]
    return typeof value === 'number' ? format.number(value) : ''
  }
  const time = (name: string, say: (at: string) => string) => {
    const value = facts[name]
    return typeof value === 'string' ? say(value) : ''
  }
  return {
    at: time('at', (at) => (Date.parse(at) > now ? format.until(at, now) : format.ago(at, now))),
    until: time('until', (at) => format.short(at, now)),
    code: text('code'),
    host: text('host'),
    ours: text('ours'),
    people: count('people'),
    perSecond: count('per_second'),
  }
}

function DoctorHead({
  report,
  isChecking,
  onCheck,
}: {
  report: DoctorReport
  isChecking: boolean
  onCheck(): void
}) {
  const words = useWords(doctorWords)
  const format = useFormat()
  const now = useNow()
  const needing = report.checks.filter((check) => !['ok', 'waiting'].includes(lookOf(check))).length
  return (
    <div className="accounts-doctor-head">
      <p className="soft" aria-live="polite">
        {needing === 0 ? words.allWell : words.someNeed(format.number(needing))}{' '}
        <span className="muted" title={format.exact(report.checked_at)}>
          {words.checkedAt(format.ago(report.checked_at, now))}
        </span>
      </p>
      <Button small icon="again" busy={isChecking} onClick={onCheck}>
        {words.checkAgain}
      </Button>
    </div>
  )
}

/** What was tried, and what came of it. */
function RepairNote({ actions }: RepairReport) {
  const words = useWords(doctorWords)
  const isDone = actions.every(({ status }) => status === 'done')
  return (
    <div className={`accounts-note ${isDone ? 'ok' : 'bad'}`} role={isDone ? 'status' : 'alert'}>
      {actions.length === 0 && <p>{words.didNothing}</p>}
      {actions.map(({ name, problem, said }) => (
        <p key={name}>
          {problem === null ? words.actions[name] : words.problems[problem]}{' '}
          {problem === 'refused' && said && words.metaSays(said)}
        </p>
      ))}
      <p className="xs soft">{words.audited}</p>
    </div>
  )
}

function PinDialog({
  isBusy,
  error,
  onRegister,
  onClose,
}: {
  isBusy: boolean
  error: unknown
  onRegister(pin: string): void
  onClose(): void
}) {
  const words = useWords(doctorWords)
  const shared = useWords(common)
  const [pin, setPin] = useState('')
  const [isTried, setTried] = useState(false)
  const isGood = /^\d{6}$/.test(pin)
  return (
    <Dialog
      title={words.pinTitle}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (isGood && !isBusy) onRegister(pin)
      }}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" look="primary" busy={isBusy}>
            {words.register}
          </Button>
        </>
      }
    >
      <p>{words.pinText}</p>
      <Field label={words.pin} problem={isTried && !isGood ? words.pin : undefined}>
        {(tied) => (
          <input
            {...tied}
            className="control num"
            inputMode="numeric"
            autoComplete="off"
            maxLength={6}
            value={pin}
            onChange={({ target }) => setPin(target.value)}
          />
        )}
      </Field>
      {error !== null && <Trouble error={error} />}
    </Dialog>
  )
}
