import { describe, expect, test } from 'vitest'
import { fixture } from '../../test/support/payloads.ts'
import { readPage } from './graph-templates.ts'
import type { JsonObject } from './json.ts'
import { isTemplateField, readTemplateNotice } from './template-notices.ts'

function page(name: string): JsonObject {
  return JSON.parse(fixture(`responses/${name}.json`).toString('utf8')).body
}

function notice(name: string) {
  const { field, value } = JSON.parse(fixture(`${name}.json`).toString('utf8')).entry[0].changes[0]
  expect(isTemplateField(field)).toBe(true)
  return readTemplateNotice(value)
}

const orderUpdate = { name: 'order_update', language: 'en_US', metaId: '1689556908129832' }

describe('a page of templates', () => {
  test('tells where the next one begins, and the last one that there is none', () => {
    const first = readPage(page('templates-page-1'))
    expect(first?.next).toEqual(expect.any(String))
    expect(first?.templates.length).toBeGreaterThan(0)
    // It has a cursor all the same.
    const last = page('templates-page-last')
    expect((last.paging as { cursors: JsonObject }).cursors.after).toEqual(expect.any(String))
    expect(readPage(last)?.next).toBeNull()
  })

  test('keeps what it can read of each', () => {
    const entry = { id: '7', name: 'a', language: 'en', status: 'approved' }
    const read = readPage({
      data: [
        { ...entry, quality_score: { score: 'GREEN' }, rejected_reason: 'NONE', components: 7 },
        { ...entry, name: undefined },
        { ...entry, name: 'x'.repeat(600) },
        null,
      ],
    })
    expect(read).toEqual({
      templates: [
        {
          metaId: '7',
          name: 'a',
          language: 'en',
          status: 'APPROVED',
          category: null,
          parameterFormat: 'POSITIONAL',
          components: [],
          quality: 'GREEN',
          rejectionReason: null,
          ttlSeconds: null,
        },
      ],
      unreadable: 3,
      next: null,
    })
  })

  test('that says there is more and not where is none', () => {
    expect(readPage({ data: [], paging: { next: 'https://graph.example/x' } })).toBeUndefined()
    expect(readPage({ data: {} })).toBeUndefined()
  })
})

describe('a webhook about a template', () => {
  test.each([
    [
      '077-template-status-approved',
      {
        event: 'APPROVED',
        status: 'APPROVED',
        category: 'UTILITY',
        rejectionReason: null,
        statusDetail: null,
      },
    ],
    [
      '078-template-status-rejected',
      {
        event: 'REJECTED',
        status: 'REJECTED',
        category: 'MARKETING',
        rejectionReason: 'INVALID_FORMAT',
        statusDetail: 'Parameters are placed next to each other. Put words between parameters.',
      },
    ],
    [
      '079-template-status-disabled',
      {
        event: 'DISABLED',
        status: 'DISABLED',
        category: 'MARKETING',
        rejectionReason: null,
        statusDetail: 'Disabled since 2026-09-01T22:00:00.000Z.',
      },
    ],
    [
      '080-template-status-pending-deletion-null-reason',
      {
        event: 'PENDING_DELETION',
        status: 'PENDING_DELETION',
        rejectionReason: null,
        statusDetail: null,
      },
    ],
    ['081-template-quality', { quality: 'YELLOW' }],
    ['082-template-quality-under-status-field', { quality: 'RED' }],
    [
      '083-template-components',
      {
        texts: {
          header: 'Your order',
          body: 'Hi {{1}}, order {{2}} has shipped.',
          footer: 'Sete Folhas',
          buttons: [{ type: 'URL', text: 'Track', url: 'https://setefolhas.example/t/{{1}}' }],
        },
      },
    ],
    [
      '084-template-category-impending',
      {
        category: 'UTILITY',
        nextCategory: { category: 'MARKETING', at: new Date(1_788_386_400_000) },
      },
    ],
    ['085-template-category-done', { category: 'MARKETING', nextCategory: null }],
  ])('%s', (name, told) => {
    expect(notice(name)).toEqual({ ...orderUpdate, ...told })
  })

  test.each([
    ['REINSTATED', 'APPROVED'],
    ['UNARCHIVED', 'APPROVED'],
    ['FLAGGED', undefined],
    ['LOCKED', undefined],
    ['TELEPORTED', undefined],
  ])('%s means the status %s', (event, status) => {
    const news = readTemplateNotice({
      event,
      message_template_name: 'a',
      message_template_language: 'en',
    })
    expect([news?.event, news?.status]).toEqual([event, status])
  })

  test('that names none is none', () => {
    expect(readTemplateNotice({ event: 'APPROVED' })).toBeUndefined()
  })
})
