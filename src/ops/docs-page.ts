// An OpenAPI document as one page of plain HTML: no script, nothing loaded from anywhere. (Scalar's reference was tried:
// it wants Node 22, brings some thirty packages, and needs inline scripts and styles, so no strict policy.)
import type {
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Parameter,
  ResolvedOperation,
  Response,
} from '../api/openapi-model.ts'
import { escapeHtml, frameStyle, pageHeader } from './docs-frame.ts'

type Resolved = OpenApiDocument<ResolvedOperation>

export function docsPage(document: Resolved): string {
  const sections = document.tags
    .map((tag) => ({ ...tag, operations: operationsOf(document, tag.name) }))
    .filter((section) => section.operations.length > 0)
  const { title, version, description } = document.info
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · ${escapeHtml(title)}</title>
<link rel="icon" href="/docs/logo.svg" type="image/svg+xml">
<style>${docsStyle}</style>
</head>
<body>
${pageHeader('reference')}
<div class="frame">
<nav id="menu" popover aria-label="Operations">
${sections.map(navigation).join('\n')}
</nav>
<main id="content">
<h1>${escapeHtml(title)} API <small>${escapeHtml(version)}</small></h1>
<p>${prose(description)}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI ${escapeHtml(document.openapi)}).</p>
${sections.map(section).join('\n')}
<section id="errors">
<h2>Errors</h2>
<p>Every refusal and failure has this body. The request_id is also in the header X-Request-Id.</p>
${schemaBlock(document.components.schemas.Error ?? {})}
</section>
</main>
</div>
</body>
</html>
`
}

interface Located {
  method: string
  path: string
  operation: ResolvedOperation
}

interface Section {
  name: string
  description: string
  operations: Located[]
}

function operationsOf(document: Resolved, tag: string): Located[] {
  return Object.entries({ ...document.paths, ...document.webhooks }).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  )
}

function anchor({ method, path }: Located): string {
  return `${method}-${path.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')}`
}

function navigation({ name, operations }: Section): string {
  const links = operations.map((one) => `<li><a href="#${anchor(one)}">${signature(one)}</a></li>`)
  return `<h2>${escapeHtml(name)}</h2>\n<ul>${links.join('\n')}</ul>`
}

function signature({ method, path }: Located): string {
  // Lets a long path wrap at its slashes.
  const breakable = escapeHtml(path).replaceAll('/', '/<wbr>')
  return `<b class="${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</b> <code>${breakable}</code>`
}

function section({ name, description, operations }: Section): string {
  return `<section>
<h2>${escapeHtml(name)}</h2>
<p>${prose(description)}</p>
${operations.map(article).join('\n')}
</section>`
}

function article(one: Located): string {
  const { summary, description, security, parameters = [], requestBody, responses } = one.operation
  const body = Object.entries(requestBody?.content ?? {})
  return `<article id="${anchor(one)}">
<h3>${signature(one)}</h3>
<p>${prose(summary)}${security.length > 0 ? '' : ' <i>No key needed.</i>'}</p>
<p>${prose(description)}</p>
${parameters.length > 0 ? `<h4>Parameters</h4><ul class="schema">${parameters.map(parameterItem).join('')}</ul>` : ''}
${body.map(([type, media]) => `<h4>Body <small>${escapeHtml(type)}</small></h4>${schemaBlock(media.schema)}${exampleBlock(media)}`).join('\n')}
<h4>Answers</h4>
${Object.entries(responses)
  .map(([status, response]) => answer(status, response))
  .join('\n')}
</article>`
}

function answer(status: string, response: Response): string {
  const [content] = Object.entries(response.content ?? {})
  const heading = `<b>${escapeHtml(status === 'default' ? 'else' : status)}</b> ${prose(response.description)}`
  if (!content) return `<p class="answer">${heading}</p>`
  const [type, media] = content
  // The error body is the same everywhere and stands at the end of the page; the codes are in the description.
  if (media.examples !== undefined || status === 'default') {
    return `<p class="answer">${heading} <a href="#errors">error</a></p>`
  }
  return `<details><summary>${heading} <small>${escapeHtml(type)}</small></summary>${schemaBlock(media.schema)}${exampleBlock(media)}</details>`
}

function exampleBlock({ example }: MediaType): string {
  if (example === undefined) return ''
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return `<details><summary>Example</summary><pre tabindex="0">${escapeHtml(text)}</pre></details>`
}

function parameterItem({ name, in: place, required, description, schema }: Parameter): string {
  const more = { ...schema, ...(description !== undefined && { description }) }
  return propertyItem(name, more, required, ` <small>${escapeHtml(place)}</small>`)
}

/** An object's properties, or what else the schema is. */
function schemaBlock(schema: JsonSchema): string {
  const forms = formsOf(schema)
  if (forms.length > 1) return forms.map(formBlock).join('\n')
  const inner = propertiesOf(schema)
  return inner || `<p class="type">${typeText(schema)}</p>`
}

/** The objects of which it may be any one; none where it may be something else too. */
function formsOf(schema: JsonSchema): JsonSchema[] {
  const forms = ((schema.oneOf ?? schema.anyOf ?? []) as JsonSchema[]).flatMap((form) =>
    form.oneOf || form.anyOf ? formsOf(form) : [form],
  )
  return forms.every((form) => propertiesOf(form) !== '') ? forms : []
}

/** Told apart by what only one of them says, such as `type: "text"`. */
function formBlock(form: JsonSchema): string {
  const properties = Object.entries((form.properties ?? {}) as Record<string, JsonSchema>)
  const [name, said] = properties.find(([, one]) => one.const !== undefined) ?? []
  const label =
    name === undefined ? 'or' : `<code>${escapeHtml(name)}</code> ${typeText(said ?? {})}`
  return `<details><summary>${label}</summary>${propertiesOf(form)}</details>`
}

function propertiesOf(schema: JsonSchema): string {
  if (schema.type === 'array') return propertiesOf((schema.items ?? {}) as JsonSchema)
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  if (properties.length === 0) return ''
  const required = (schema.required ?? []) as string[]
  const items = properties.map(([name, one]) => propertyItem(name, one, required.includes(name)))
  return `<ul class="schema">${items.join('')}</ul>`
}

function propertyItem(name: string, schema: JsonSchema, required: boolean, note = ''): string {
  const described = typeof schema.description === 'string' ? ` ${prose(schema.description)}` : ''
  return (
    `<li><code>${escapeHtml(name)}</code>${note} <span class="type">${typeText(schema)}` +
    `${required ? '' : ', optional'}</span>${described}${propertiesOf(schema)}</li>`
  )
}

function typeText(schema: JsonSchema): string {
  const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (options) return options.map(typeText).join(' or ')
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.type === 'array') return `array of ${typeText((schema.items ?? {}) as JsonSchema)}`
  const type = [schema.type ?? 'anything'].flat().join(' or ')
  return escapeHtml([type, ...limits(schema)].join(', '))
}

const limitNames = [
  ['format', ''],
  ['minimum', 'from '],
  ['maximum', 'to '],
  ['maxLength', 'at most '],
  ['default', 'default '],
] as const

function limits(schema: JsonSchema): string[] {
  return limitNames.flatMap(([name, label]) => {
    const value = schema[name]
    // JavaScript's largest integers are no limit of ours.
    if (value === undefined || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return []
    return [`${label}${value}${name === 'maxLength' ? ' characters' : ''}`]
  })
}

function literal(value: unknown): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`
}

/** Text with `code` in it. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

export const docsStyle = `${frameStyle}
:root { --get: var(--info); --post: var(--ok); --put: var(--warn); --patch: var(--warn); --delete: var(--bad) }
.frame { display: grid; grid-template-columns: 340px minmax(0, 1fr) }
@media (min-width: 900px) { #menu { width: 340px } }
#menu li a { display: flex; gap: 8px; align-items: baseline; font-size: 12.5px }
#menu code { font-size: 12px; background: none; border: 0; padding: 0 }
#menu b { flex: none; width: 46px; font: 650 10.5px var(--mono) }
main { padding: 40px clamp(16px, 4vw, 56px) 96px; max-width: 68rem; min-width: 0; font-size: 15px }
h1, h2, h3 { line-height: 1.25; letter-spacing: -0.017em }
h1 { margin: 0 0 16px; font-size: 34px; letter-spacing: -0.025em }
h1 small, h4 small, summary small { color: var(--text-3); font-weight: 400 }
h1 small { font-size: 16px; letter-spacing: 0 }
main section > h2 { margin: 56px 0 4px; font-size: 23px }
h3 { margin: 0 0 6px; font-size: 15px; font-weight: 400; letter-spacing: 0 }
h3 code { background: none; border: 0; padding: 0; font-size: 14.5px; font-weight: 600 }
h3 b { font: 650 12px var(--mono); margin-right: 4px }
h4 { margin: 18px 0 6px; font-size: 13px; font-weight: 600; color: var(--text-2) }
article { border: 1px solid var(--border); border-radius: 10px; padding: 18px 22px; margin: 16px 0 }
article:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent) }
article p { margin: 6px 0 }
.get { color: var(--get) } .post { color: var(--post) } .put { color: var(--put) } .patch { color: var(--patch) }
.delete { color: var(--delete) }
.type, .schema small { color: var(--text-3); font-size: 13px }
.schema { margin: 4px 0; padding-left: 14px; list-style: none; border-left: 2px solid var(--border); font-size: 14px }
.schema li { padding: 3px 0; overflow-wrap: anywhere }
details, .answer { margin: 4px 0; font-size: 14px }
summary { cursor: pointer }
pre { margin: 8px 0; max-height: 420px }
@media (max-width: 899.9px) {
  .frame { display: block }
  main { padding-top: 24px }
  h1 { font-size: 28px }
  article { padding: 14px 16px }
}
`
