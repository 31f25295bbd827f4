// docs/logs.md: every event of the log.
import { logEvents } from '../../src/log-events.ts'
import { code, page, printedNote, table } from './table.ts'

export function logsMarkdown(): string {
  return page(
    '# Log',
    '',
    'One JSON object a line on standard output, one line per unit of work: `level`, `timestamp`, `event`, and what belongs to it.',
    printedNote,
    '',
    'Nothing personal is written. Only fields that are on a list get into a line; message texts, tokens and keys are never among',
    'them, and phone numbers, contacts and Meta’s message ids stand there as a keyed hash (`h_…`), which `estafet trace` finds again.',
    'Ids join lines to rows and to each other: `request_id`, `correlation_id`, `message_id`, `tenant_id`. `LOG_LEVEL` says from which',
    'level on lines are written; at `error` somebody should look.',
    '',
    '```json',
    '{"level":"info","timestamp":"2026-11-16T12:00:00.000Z","event":"outbound_send","direction":"outbound","tenant_id":"01a1e2b0-0957-701b-bfd6-5e8f68cd8386","statusCode":200,"attempts":1,"duration_ms":142}',
    '```',
    '',
    ...Object.entries(logEvents).flatMap(([name, events]) => [
      `## ${name}`,
      '',
      ...table(
        ['event', 'tells'],
        Object.entries(events).map(([event, tells]) => [code(event), tells]),
      ),
      '',
    ]),
  )
}
