// What was and is to be delivered to an endpoint, the latest first; a row opens what is known of it.
import { Segments, State } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { type Delivery, type DeliveryStatus, type Endpoint, useDeliveries } from './data.ts'
import { DeliveryDialog } from './delivery.tsx'
import { formWords } from './form-words.ts'
import { deliveryTones } from './model.ts'
import { eventWords } from './words.ts'

const statuses = ['pending', 'done', 'failed'] as const satisfies DeliveryStatus[]

export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const words = useWords(eventWords)
  const { search, ask } = usePlace()
  const status = statuses.find((one) => one === search.status)
  return (
    <section aria-label={words.deliveries}>
      <div className="row wrap events-deliveries">
        <h3>{words.deliveries}</h3>
        <Segments
          label={words.filter}
          choices={[
            { value: 'all', label: words.all },
            ...statuses.map((value) => ({ value, label: words.statuses[value] })),
          ]}
          chosen={status ?? 'all'}
          onChoose={(value) => ask({ status: value === 'all' ? undefined : value })}
        />
      </div>
      <DeliveryTable key={status} endpoint={endpoint} status={status} />
      {search.event && (
        <DeliveryDialog
          endpoint={endpoint}
          eventId={search.event}
          onClose={() => ask({ event: undefined })}
        />
      )}
    </section>
  )
}

function DeliveryTable({
  endpoint,
  status,
}: {
  endpoint: Endpoint
  status: DeliveryStatus | undefined
}) {
  const words = useWords(eventWords)
  const { loadMore } = useWords(common)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useDeliveries(
    endpoint.id,
    status,
  )
  if (!data) {
    return error ? <Trouble error={error} onRetry={() => void refetch()} /> : <Skeleton lines={4} />
  }
  const rows = data.pages.flatMap((page) => page.data)
  if (rows.length === 0) {
    return (
      <Empty title={words.noDeliveries}>
        {status === undefined ? words.noDeliveriesText : undefined}
      </Empty>
    )
  }
  return (
    <>
      <div className="table-scroll events-table">
        <table className="table">
          <thead>
            <tr>
              <th>{words.event}</th>
              <th>{words.status}</th>
              <th>{words.answer}</th>
              <th className="figure events-mid">{words.latency}</th>
              <th className="figure events-wide">{words.failures}</th>
              <th className="figure">{words.when}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((delivery) => (
              <Row key={delivery.event_id} delivery={delivery} endpoint={endpoint} />
            ))}
          </tbody>
        </table>
      </div>
      {hasNextPage && (
        <div className="events-more">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {loadMore}
          </Button>
        </div>
      )}
    </>
  )
}

function Row({ delivery, endpoint }: { delivery: Delivery; endpoint: Endpoint }) {
  const words = useWords(eventWords)
  const types: Record<string, string> = useWords(formWords).types
  const format = useFormat()
  const { ask, search } = usePlace()
  const { event_id: event, event_type: type, status } = delivery
  const { tenant: _, ...kept } = search
  return (
    <tr className="opens" onClick={() => ask({ event }, { replace: false })}>
      <td>
        <ViewLink
          className="events-event"
          to={`/events/${endpoint.id}`}
          search={{ ...kept, event }}
          onClick={(clicked) => clicked.stopPropagation()}
        >
          {types[type ?? ''] ?? type ?? event}
        </ViewLink>
        <span className="mono muted">{type}</span>
      </td>
      <td>
        <State
          tone={delivery.attempts > 0 && status === 'pending' ? 'warn' : deliveryTones[status]}
        >
          {words.statuses[status]}
        </State>
      </td>
      <td className="num">{delivery.status_code ?? delivery.last_error ?? '—'}</td>
      <td className="figure events-mid">
        {delivery.duration_ms === null ? '—' : format.latency(delivery.duration_ms)}
      </td>
      <td className="figure events-wide">{format.number(delivery.attempts)}</td>
      <td className="figure muted">
        <Time at={delivery.created_at} />
      </td>
    </tr>
  )
}
