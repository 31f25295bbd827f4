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
<title>${escapeHtml(title)} API</title>
<style>${docsStyle}</style>
</head>
<body>
<nav aria-label="Operations">
${sections.map(navigation).join('\n')}
</nav>
<main>
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
  return `<details><summary>Example</summary><pre>${escapeHtml(text)}</pre></details>`
}

function parameterItem({ name, in: place, required, description, schema }: Parameter): string {
  const more = { ...schema, ...(description !== undefined && { description }) }
  return propertyItem(name, more, required, ` <small>${escapeHtml(place)}</small>`)
}

/** An object's properties, or what else the schema is. */
function schemaBlock(schema: JsonSchema): string {
  const inner = propertiesOf(schema)
  return inner || `<p class="type">${typeText(schema)}</p>`
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

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --quiet: light-dark(#5b6472, #9aa4b2);
  --get: light-dark(#0b66c3, #6cb2ff); --post: light-dark(#1a7f37, #57c776); --patch: light-dark(#9a5b00, #e5a44b);
  --delete: light-dark(#c02626, #ff7b72) }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 21rem minmax(0, 1fr) }
code, pre { font: 0.92em ui-monospace, monospace }
pre { overflow-x: auto; background: var(--soft); padding: 0.6rem; border-radius: 6px }
a { color: inherit }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem; border-right: 1px solid var(--line);
  font-size: 0.85rem }
nav h2 { font-size: 0.75rem; text-transform: uppercase; letter-spacing: 0.06em; color: var(--quiet); margin: 1.2rem 0 0.3rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; text-decoration: none; padding: 0.2rem 0.4rem; border-radius: 4px }
nav a:hover, nav a:focus-visible { background: var(--soft) }
main { padding: 1.5rem clamp(1rem, 4vw, 3.5rem) 4rem; max-width: 62rem }
h1 small, h4 small, summary small { color: var(--quiet); font-weight: 400 }
h1 { margin: 0 } h3 { margin: 0; font-size: 1rem; font-weight: 400 } h4 { margin: 1rem 0 0.2rem; font-size: 0.85rem }
main section > h2 { margin: 2.5rem 0 0 }
article { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem; margin: 1rem 0; scroll-margin-top: 1rem }
article:target { border-color: var(--get) }
article p { margin: 0.4rem 0 }
.get { color: var(--get) } .post { color: var(--post) } .patch { color: var(--patch) } .delete { color: var(--delete) }
.type, .schema small { color: var(--quiet) }
.schema { margin: 0.2rem 0; padding-left: 1.1rem; list-style: none; border-left: 2px solid var(--line) }
.schema li { padding: 0.1rem 0; overflow-wrap: anywhere }
details, .answer { margin: 0.25rem 0 }
summary { cursor: pointer }
@media (max-width: 800px) {
  body { display: block }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line) }
}
`
