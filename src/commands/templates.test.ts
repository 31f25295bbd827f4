import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, inject, test } from 'vitest'
import { testSecrets } from '../../test/support/gateway.ts'
import type { Firm } from '../../test/support/sending.ts'
import { startTemplateWorld, type TemplateWorld } from '../../test/support/templates.ts'

/** Each command is a process of its own; on a busy machine a start takes seconds. */
const patient = { timeout: 180_000 }
const root = fileURLToPath(new URL('../..', import.meta.url))
let world: TemplateWorld
let firm: Firm

beforeAll(async () => {
  world = await startTemplateWorld()
  firm = await world.createFirm('firm')
})

function estafet(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  const env = {
    // biome-ignore lint/style/noProcessEnv: the program under test needs a PATH.
    PATH: process.env.PATH,
    DATABASE_URL: world.gateway.databaseUrl,
    META_GRAPH_URL: world.simulator.url,
    ESTAFET_ENV: 'development',
    ...testSecrets,
  }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [inject('program'), ...args],
      { cwd: root, env },
      (failure, out, error) => resolve({ code: Number(failure?.code ?? 0), out, error }),
    )
  })
}

test('estafet template syncs, lists, shows, previews and deletes', patient, async () => {
  const synced = await estafet('template', 'sync', firm.id)
  expect(synced.out).toBe(`${firm.wabaId}: 4 templates, 4 of them new here; 0 are gone.\n`)

  const list = await estafet('template', 'list', firm.id, '--status', 'approved')
  const line = list.out.split('\n').find((one) => one.includes('order_update'))
  expect(line).toMatch(/^tpl_[0-9a-f]{32} {2}APPROVED {2}UTILITY/)
  expect(list.out).toContain(`${firm.wabaId}: 4 templates, synced`)
  const id = line?.split(' ')[0] ?? ''

  const components = JSON.stringify([
    { type: 'body', parameters: [{ type: 'text', text: 'Mara \u001b[31m' }] },
  ])
  const [shown, preview] = await Promise.all([
    estafet('template', 'show', firm.id, id),
    estafet('template', 'preview', firm.id, id, '--components', components),
  ])
  expect(shown.out).toContain('name         order_update (en_US)')
  expect(shown.out).toContain('has shipped')
  expect(preview.out).toContain('Hi Mara \\u001b[31m, order {{2}} has shipped.')
  expect(preview.out).toContain('components[0].parameters: the body has 2 parameters')

  const gone = await estafet('template', 'delete', firm.id, id)
  expect(gone.out).toMatch(
    /^order_update \(en_US\) is deleted\. Meta keeps its name until about \d/,
  )
})

test('estafet template explains what is missing or wrong', patient, async () => {
  const fresh = await world.createFirm('fresh')
  const [empty, unknown, json] = await Promise.all([
    estafet('template', 'list', fresh.id),
    estafet('template', 'show', fresh.id, 'tpl_1'),
    estafet('template', 'preview', fresh.id, 'tpl_1', '--components', '{'),
  ])
  expect(empty.out).toContain(`not been listed yet. Next: estafet template sync ${fresh.id}`)
  expect([unknown.code, unknown.error]).toEqual([1, 'There is no such template.\n'])
  expect([json.code, json.error]).toEqual([2, '--components: not valid JSON\n'])
})
