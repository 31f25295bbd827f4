// Templates as a terminal shows them.
import type { showPreview, showSync, showTemplate } from '../templates/show.ts'

export function syncText(sync: ReturnType<typeof showSync>): string {
  const when = sync.synced_at === null ? 'never synced' : `synced ${sync.synced_at}`
  const access = sync.access === 'denied' ? '; Meta denies access to templates' : ''
  const error = sync.last_error ? `; last error ${sync.last_error.code}` : ''
  return `${sync.waba_id}: ${sync.templates} templates, ${when}${access}${error}`
}

export function templateText(template: ReturnType<typeof showTemplate>): string {
  const next = template.next_category
  const lines: [string, string | null][] = [
    ['id', template.id],
    ['name', `${template.name} (${template.language})`],
    ['status', template.status],
    ['why', template.status_detail],
    ['rejected for', template.rejection_reason],
    ['category', template.category],
    ['will become', next && `${next.category}${next.at === null ? '' : ` at ${next.at}`}`],
    ['quality', template.quality],
    ['parameters', template.parameter_format],
    ['at Meta', template.meta_id],
    ['account', template.waba_id],
    ['synced', template.synced_at],
    ['gone since', template.gone_at],
  ]
  const told = lines.flatMap(([name, value]) =>
    value === null ? [] : [`${name.padEnd(13)}${value}`],
  )
  return [...told, '', JSON.stringify(template.components, null, 2)].join('\n')
}

type Preview = ReturnType<typeof showPreview>

export function previewText(preview: Preview): string {
  const { header, body, footer, buttons, cards, problems } = preview
  return [
    ...partText({ header, body, buttons: [] }),
    ...(footer === null ? [] : [footer]),
    ...buttons.map(buttonText),
    ...cards.flatMap((card, index) => ['', `Card ${index + 1}:`, ...partText(card)]),
    ...(problems.length === 0 ? [] : ['', 'This would not be sent:']),
    ...problems.map(({ field, problem }) => `  ${field}: ${problem}`),
  ].join('\n')
}

function partText({ header, body, buttons }: Pick<Preview, 'header' | 'body' | 'buttons'>) {
  const head = header && (header.text ?? `[${header.format.toLowerCase()}]`)
  return [...(head === null ? [] : [head, '']), body, ...buttons.map(buttonText)]
}

function buttonText({ type, text, url, phone_number, code }: Preview['buttons'][number]): string {
  const target = url ?? phone_number ?? code
  return `[${text ?? type}]${target === null ? '' : ` ${target}`}`
}
