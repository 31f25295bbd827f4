// Alert channels from the command line: the same acts as the API's, by the same code. Without a tenant: the operator's.
import { channelManagerOf } from '../alerts/alerting.ts'
import {
  type ChannelManager,
  createChannel,
  listChannels,
  removeChannel,
  testChannel,
} from '../alerts/channels.ts'
import { showChannel } from '../alerts/show.ts'
import { listQuery } from '../api/contract.ts'
import { newAlertChannel } from '../api/contract-alerts.ts'
import {
  actor,
  type PageOptions,
  print,
  type TableOptions,
  tenantNamed,
  withRuntime,
} from './manage.ts'
import { readOptions } from './read-options.ts'
import { pageText, table } from './text.ts'

export interface ChannelOptions extends TableOptions {
  tenant?: string
}

interface Work {
  manager: ChannelManager
  by: { tenantId: string | null; actor: string }
}

function forOwner({ tenant }: ChannelOptions, work: (work: Work) => Promise<void>): Promise<void> {
  return withRuntime(async (runtime) => {
    const tenantId = tenant === undefined ? null : await tenantNamed(runtime, tenant)
    const manager = channelManagerOf({ ...runtime, db: runtime.db.api })
    await work({ manager, by: { tenantId, actor } })
  })
}

export function channelCreate(
  options: ChannelOptions & { kind: string; target: string; description?: string },
): Promise<void> {
  const { kind, target, description } = options
  const input = readOptions(newAlertChannel, { kind, target, description })
  return forOwner(options, async ({ manager, by }) => {
    const { row, secret } = await createChannel(manager, by, input)
    const shown = { ...showChannel(row), secret }
    const next = `See whether it works: estafet alert-channel test ${shown.id}`
    const told = secret === null ? '' : `${secret}\nThis secret is shown once. `
    const whose = options.tenant === undefined ? '' : ` --tenant ${options.tenant}`
    print(options, shown, `${told}The channel is ${shown.id}. ${next}${whose}`)
  })
}

export function channelList(options: ChannelOptions & PageOptions): Promise<void> {
  const wish = readOptions(listQuery, { limit: options.limit, after: options.after })
  return forOwner(options, async ({ manager, by }) => {
    const page = await listChannels(manager, by.tenantId, wish)
    const rows = page.data.map((one) => [
      one.id,
      one.kind,
      one.failing_since === null ? 'ok' : 'failed',
      one.target,
      [
        one.description,
        ...(one.origin === 'environment' ? ['(from the environment)'] : []),
        ...(one.failing_since === null
          ? []
          : [`failing since ${one.failing_since} (${one.last_error ?? 'unknown'})`]),
      ].join(' '),
    ])
    const none =
      by.tenantId === null
        ? 'The operator has no alert channels. Next: estafet alert-channel create --kind slack --target …'
        : 'This tenant has no alert channels: its alerts go to the operator’s.'
    const heads = ['ID', 'KIND', 'STATE', 'TARGET', 'WHAT']
    print(options, page, rows.length === 0 ? none : pageText(table(heads, rows), page))
  })
}

export function channelRemove(id: string, options: ChannelOptions): Promise<void> {
  return forOwner(options, async ({ manager, by }) => {
    await removeChannel(manager, by, id)
    print(options, { removed: id }, `Channel ${id} is gone, with what waited for it.`)
  })
}

/** Whether it was taken. */
export async function channelTest(id: string, options: ChannelOptions): Promise<boolean> {
  let isTaken = false
  await forOwner(options, async ({ manager, by }) => {
    const tested = await testChannel(manager, by, id)
    const { delivered, status_code, error_code, answer } = tested
    const said = answer === null ? '' : `: ${answer}`
    const text = delivered
      ? `It was taken (${status_code})${said}`
      : `It was not taken (${error_code})${said}`
    print(options, tested, text)
    isTaken = delivered
  })
  return isTaken
}
