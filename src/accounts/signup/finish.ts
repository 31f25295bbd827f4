// The end of a sign-up: state and code → a connected number. The state is used up first, in a commit of its own; then Meta
// is asked, with no transaction open; the last commit stores everything or nothing. What was done at Meta by then can be
// done again without harm, so a failure anywhere leaves nothing half-done.
import { AppError } from '../../errors.ts'
import type { TokenInfo } from '../../meta/graph-accounts.ts'
import { pinOwner } from '../vault.ts'
import { auditRefusal } from './audit.ts'
import {
  accountsToAsk,
  checkToken,
  chooseNumber,
  isRegistered,
  type ListedNumber,
} from './grant.ts'
import type { Finished, SignupAnswer, SignupOptions } from './model.ts'
import { derivedPin } from './pin.ts'
import { type SignupState, selectNumber, selectNumbersOfTenant } from './queries.ts'
import { refuse, refuseExchange, refuseFor, refuseRegister } from './refusals.ts'
import { readState, takeState } from './state.ts'
import { storeConnection } from './store.ts'

export async function finishSignup(
  options: SignupOptions,
  answer: SignupAnswer,
): Promise<Finished> {
  const { db, clock, log, metrics } = options
  let started: SignupState | undefined
  try {
    const { hash, row, problem } = await readState(db, answer.state, clock.now())
    started = row
    if (problem) throw refuse(problem)
    if (answer.callerTenantId !== undefined && answer.callerTenantId !== row.tenant_id) {
      throw refuse('STATE_FOREIGN')
    }
    // Whoever began it in the console ends it: a link that was passed on connects nothing.
    if (row.started_by.startsWith('usr_') && answer.callerPerson !== row.started_by) {
      throw refuse('STATE_FOREIGN')
    }
    if (answer.error !== undefined) throw refuse('SIGNUP_DENIED')
    if (!answer.code) throw refuse('CODE_MISSING')
    if (!(await takeState(db, hash, clock.now()))) throw refuse('STATE_USED')
    // crash point: signup.state-taken
    const finished = await connect(options, row, { ...answer, code: answer.code })
    metrics.signups.inc({ outcome: finished.isNew ? 'connected' : 'reconnected' })
    log.info(finished.isNew ? 'account_connected' : 'account_reconnected', {
      tenant_id: row.tenant_id,
      waba_id: finished.account.waba_id,
      phone_number_id: finished.account.phone_number_id,
    })
    // crash point: signup.stored-before-ring
    await options.onReleased()
    return finished
  } catch (error) {
    if (error instanceof AppError) await reportRefusal(options, started, error)
    throw error
  }
}

async function reportRefusal(
  options: SignupOptions,
  started: SignupState | undefined,
  error: AppError,
): Promise<void> {
  options.metrics.signups.inc({ outcome: 'refused' })
  options.log.warn('signup_refused', {
    tenant_id: started?.tenant_id ?? null,
    error_code: error.code,
    statusCode: error.status,
  })
  if (started || options.mayAuditStranger()) await auditRefusal(options, started, error)
}

async function connect(
  options: SignupOptions,
  started: SignupState,
  answer: SignupAnswer & { code: string },
): Promise<Finished> {
  const { meta, app } = options
  const redirectUri = answer.isPopup ? null : started.redirect_uri
  const exchanged = await meta.exchangeCode(app, answer.code, redirectUri)
  if (exchanged.kind !== 'told') throw refuseExchange(exchanged)
  const accessToken = exchanged.value
  const info = await inspectToken(options, accessToken)
  const number = await findNumber(options, started, answer, info, accessToken)
  const pin = await prepareAtMeta(options, number, accessToken)
  const ready = await meta.number(number.id, accessToken)
  if (ready.kind !== 'told') throw refuseFor('META_REFUSED', ready)
  if (!isRegistered(ready.value)) throw refuse('REGISTER_FAILED')
  // crash point: signup.prepared-before-store
  return storeConnection(options, {
    tenantId: started.tenant_id,
    actor: started.started_by,
    wabaId: number.wabaId,
    listed: number.siblings,
    number: ready.value,
    accessToken,
    expiresAt: info.expiresAt,
    pin,
  })
}

async function inspectToken({ meta, app }: SignupOptions, accessToken: string): Promise<TokenInfo> {
  const info = await meta.debugToken(app, accessToken)
  if (info.kind === 'refused' && info.provider.code === 100) throw refuseFor('APP_MISMATCH', info)
  if (info.kind !== 'told') throw refuseFor('META_REFUSED', info)
  checkToken(info.value, app.appId)
  return info.value
}

async function findNumber(
  { db, meta }: SignupOptions,
  started: SignupState,
  answer: SignupAnswer,
  info: TokenInfo,
  accessToken: string,
): Promise<ListedNumber & { siblings: string[] }> {
  const listed: ListedNumber[] = []
  for (const wabaId of accountsToAsk(info, answer.waba_id)) {
    const numbers = await meta.numbersOf(wabaId, accessToken)
    if (numbers.kind !== 'told') {
      // The token names no accounts, so Meta's refusal is how we learn that this is not one of them.
      const isForeign = numbers.kind === 'refused' && numbers.statusCode < 500
      throw refuseFor(isForeign ? 'WABA_NOT_GRANTED' : 'META_REFUSED', numbers)
    }
    listed.push(...numbers.value.map((number) => ({ ...number, wabaId })))
  }
  const own = await selectNumbersOfTenant(db, started.tenant_id)
  const reconnect = own.find(({ id }) => id === started.account_id)
  if (started.account_id !== null && !reconnect) throw refuse('ACCOUNT_MISMATCH')
  const number = chooseNumber(listed, {
    reconnect: reconnect?.phone_number_id ?? null,
    named: answer.phone_number_id,
    connected: new Set(own.map((one) => one.phone_number_id)),
  })
  const owner = await selectNumber(db, number.id)
  // Before anything is changed at Meta. The last commit looks again.
  if (owner && owner.tenant_id !== started.tenant_id) {
    throw refuse('NUMBER_TAKEN', { phone_number_id: number.id })
  }
  const siblings = listed.filter((one) => one.wabaId === number.wabaId).map(({ id }) => id)
  return { ...number, siblings }
}

/** Webhooks for the account, registration of the number: done where needed, and looked at afterwards. The pin it has now. */
async function prepareAtMeta(
  options: SignupOptions,
  number: ListedNumber,
  accessToken: string,
): Promise<string | null> {
  const { meta, app } = options
  const subscribed = await meta.subscribe(number.wabaId, accessToken)
  if (subscribed.kind !== 'told') throw refuseFor('SUBSCRIBE_FAILED', subscribed)
  const apps = await meta.subscribedApps(number.wabaId, accessToken)
  if (apps.kind !== 'told') throw refuseFor('SUBSCRIBE_FAILED', apps)
  if (!apps.value.some(({ id }) => id === app.appId)) throw refuse('SUBSCRIBE_FAILED')
  // Registering is counted by Meta, and a number that is on a phone too must not be.
  if (isRegistered(number) || number.isOnBusinessApp) return null
  const pin = await pinOf(options, number.id)
  const registered = await meta.register(number.id, accessToken, pin)
  if (registered.kind !== 'told') throw refuseRegister(registered)
  return pin
}

async function pinOf({ db, vault }: SignupOptions, phoneNumberId: string): Promise<string> {
  const known = await selectNumber(db, phoneNumberId)
  if (known?.pin) return vault.open(known.pin, pinOwner(known.tenant_id, known.id))
  return derivedPin(vault, phoneNumberId)
}
