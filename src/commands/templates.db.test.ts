import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../test/support/commands.ts'
import { testSecrets } from '../../test/support/gateway.ts'
import type { Firm } from '../../test/support/sending.ts'
import { startTemplateWorld, type TemplateWorld } from '../../test/support/templates.ts'

let world: TemplateWorld
let firm: Firm

beforeAll(async () => {
  world = await startTemplateWorld()
  firm = await world.createFirm('firm')
})

const estafet = (...args: string[]) =>
  runCommand(args, {
    DATABASE_URL: world.gateway.databaseUrl,
    META_GRAPH_URL: world.simulator.url,
    ESTAFET_ENV: 'development',
    ...testSecrets,
  })

test('estafet template syncs, lists, shows, previews and deletes', async () => {
  const synced = await estafet('template', 'sync', firm.id)
  expect(synced.stdout).toBe(`${firm.wabaId}: 4 templates, 4 of them new here; 0 are gone.\n`)

  const list = await estafet('template', 'list', firm.id, '--status', 'approved')
  const line = list.stdout.split('\n').find((one) => one.includes('order_update'))
  expect(line).toMatch(/^tpl_[0-9a-f]{32} {2}APPROVED {2}UTILITY/)
  expect(list.stdout).toContain(`${firm.wabaId}: 4 templates, synced`)
  const id = line?.split(' ')[0] ?? ''

  const components = JSON.stringify([
    { type: 'body', parameters: [{ type: 'text', text: 'Mara \u001b[31m' }] },
  ])
  const [shown, preview] = await Promise.all([
    estafet('template', 'show', firm.id, id),
    estafet('template', 'preview', firm.id, id, '--components', components),
  ])
  expect(shown.stdout).toContain('name         order_update (en_US)')
  expect(shown.stdout).toContain('has shipped')
  expect(preview.stdout).toContain('Hi Mara \\u001b[31m, order {{2}} has shipped.')
  expect(preview.stdout).toContain('components[0].parameters: the body has 2 parameters')

  const gone = await estafet('template', 'delete', firm.id, id)
  expect(gone.stdout).toMatch(
    /^order_update \(en_US\) is deleted\. Meta keeps its name until about \d/,
  )
})

test('estafet template explains what is missing or wrong', async () => {
  const fresh = await world.createFirm('fresh')
  const [empty, unknown, json] = await Promise.all([
    estafet('template', 'list', fresh.id),
    estafet('template', 'show', fresh.id, 'tpl_1'),
    estafet('template', 'preview', fresh.id, 'tpl_1', '--components', '{'),
  ])
  expect(empty.stdout).toContain(`not been listed yet. Next: estafet template sync ${fresh.id}`)
  expect([unknown.code, unknown.stderr]).toEqual([1, 'There is no such template.\n'])
  expect([json.code, json.stderr]).toEqual([2, '--components: not valid JSON\n'])
})
