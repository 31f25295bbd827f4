// The audit at the command line: reading it, and checking that it is whole.
import { auditQuery } from '../api/contract-audit.ts'
import { listActs } from '../audit/list.ts'
import { type Verification, verifyAudit } from '../audit/verify.ts'
import type { Runtime } from '../runtime.ts'
import { print, type TableOptions, tenantNamed, withRuntime } from './manage.ts'
import { withProgress } from './progress.ts'
import { readOptions } from './read-options.ts'
import { table } from './text.ts'

interface AuditOptions extends TableOptions {
  tenant?: string
}

export async function auditList(
  options: AuditOptions & { limit?: string; after?: string },
): Promise<void> {
  await withRuntime(async (runtime) => {
    const tenantId = await tenantOf(runtime, options)
    const { limit, after } = readOptions(auditQuery, { limit: options.limit, after: options.after })
    const page = await listActs(runtime.db.api, { scope: null, tenantId, limit, after })
    const rows = page.data.map((act) => [
      act.at,
      act.actor,
      act.action,
      act.subject,
      act.reason ?? '',
    ])
    const more =
      page.paging.next === null ? [] : ['', `There are more: --after ${page.paging.next}`]
    const text =
      rows.length === 0
        ? 'Nothing has been done here yet.'
        : [table(['AT', 'WHO', 'DID', 'TO', 'WHY'], rows), ...more].join('\n')
    print(options, page, text)
  })
}

/** False when a chain is broken. */
export async function auditVerify(options: AuditOptions): Promise<boolean> {
  let isWhole = false
  await withRuntime(async (runtime) => {
    const tenantId = await tenantOf(runtime, options)
    const result = await withProgress('Verifying chains', options, ({ at }) =>
      verifyAudit(runtime.db.api, tenantId, at),
    )
    isWhole = result.broken.length === 0
    print(options, { is_whole: isWhole, ...result }, verificationText(result))
  })
  return isWhole
}

function verificationText({ rows, chains, broken }: Verification): string {
  if (broken.length === 0) {
    return `The audit is whole: ${rows} row(s) in ${chains.length} chain(s).`
  }
  return [
    `The audit is broken in ${broken.length} chain(s):`,
    ...broken.map((found) => {
      const at = found.position === null ? '' : `, row ${found.position}`
      return `  chain ${found.chain}${at}: ${found.problem}: ${found.message}`
    }),
    `${chains.length} other chain(s) are whole. Next: compare with a backup; keep this output.`,
  ].join('\n')
}

async function tenantOf(runtime: Runtime, { tenant }: AuditOptions): Promise<string | null> {
  return tenant === undefined ? null : tenantNamed(runtime, tenant)
}
