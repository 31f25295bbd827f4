// Above the field: what is kept until the connection is back, and what else messages wait for.
import type { Conversation } from '../../../api/types.ts'
import { Icon } from '../../../parts/icon.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import type { Sending, Unsent } from './sending.ts'
import { type NumberState, useNumber } from './use-number.ts'
import { composerWords } from './words.ts'

interface NoticesProps {
  conversation: Conversation
  sending: Sending
}

export function Notices({ conversation, sending }: NoticesProps) {
  const status = useNumber(conversation.phone_number_id)
  const waiting = sending.unsent.filter((one) => !one.problem && one.messageId === undefined)
  return (
    <div role="status">
      <Waiting waiting={waiting} status={status} />
    </div>
  )
}

function Waiting({ waiting, status }: { waiting: Unsent[]; status: NumberState }) {
  const words = useWords(composerWords)
  const format = useFormat()
  const count = waiting.length
  if (waiting.some(({ waitsFor }) => waitsFor === 'connection')) {
    return (
      <p className="composer-notice warn">
        <Icon name="warn" />
        <span>
          <b className="strong">
            {count > 1 ? words.noConnectionMany(format.number(count)) : words.noConnection}
          </b>{' '}
          {words.goesOut}
        </span>
      </p>
    )
  }
  if (waiting.some(({ waitsFor }) => waitsFor === 'gateway')) {
    return (
      <p className="composer-notice warn">
        <Icon name="warn" />
        <span>{words.gatewayBusy}</span>
      </p>
    )
  }
  const isParked = status === 'needs_reauth' || waiting.some((one) => one.waitsFor === 'account')
  if (status === 'gone' || isParked) {
    return (
      <p className="composer-notice">
        <Icon name="pause" />
        <span>{status === 'gone' ? words.accountGone : words.accountWaits}</span>
      </p>
    )
  }
  const progress = waiting.find((one) => one.progress !== undefined)?.progress
  if (progress === undefined) return null
  return (
    <p className="composer-notice">
      <Icon name="clip" />
      <span className="num">
        {words.uploading(format.percent(Math.round(progress * 100) / 100))}
      </span>
      <progress value={progress} aria-hidden="true" />
    </p>
  )
}
