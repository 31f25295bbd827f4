// The API's answers that this page is made of.
import type { z } from 'zod'
import type { alert } from '../../../src/api/contract-alerts.ts'
import type { health, history, tenantHealth } from '../../../src/api/contract-health.ts'

/** Of one tenant, or, for operators, of all of them. */
export type Health = z.output<typeof tenantHealth> &
  Partial<Pick<z.output<typeof health>, 'tenants'>>
export type TenantCounts = z.output<typeof health>['tenants'][number]
export type History = Omit<z.output<typeof history>, 'tenants'> &
  Partial<Pick<z.output<typeof history>, 'tenants'>>
export type TenantHour = z.output<typeof history>['tenants'][number]
export type Point = History['points'][number]
export type Range = History['range']
export type Alert = z.output<typeof alert>
export type Trouble = Health['troubles'][number]
