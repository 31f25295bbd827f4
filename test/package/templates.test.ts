// The forms in .github are shown by the host of the repository only when they are whole.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../src/package-root.ts'

const folder = join(packageRoot, '.github', 'ISSUE_TEMPLATE')
const forms = readdirSync(folder)

interface Field {
  type: string
  id?: string
  attributes: { label?: string; value?: string; options?: unknown[] }
}

test.each(forms)('%s is a form', (name) => {
  const form = parse(readFileSync(join(folder, name), 'utf8'))
  expect([form.name, form.description]).toEqual([expect.any(String), expect.any(String)])
  const fields: Field[] = form.body
  expect(fields.some(({ type }) => type !== 'markdown')).toBe(true)
  for (const { type, id, attributes } of fields) {
    expect(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']).toContain(type)
    if (type === 'markdown') expect(attributes.value).toBeTruthy()
    else expect([id, attributes.label]).toEqual([expect.any(String), expect.any(String)])
    if (type === 'dropdown' || type === 'checkboxes') expect(attributes.options).not.toEqual([])
  }
  const ids = fields.flatMap(({ id }) => id ?? [])
  expect(new Set(ids).size).toBe(ids.length)
})
