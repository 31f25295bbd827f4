// The guide's one script: search, copying, and where on the page one is. Everything else works without it.
{
  const make = (name, more = {}, ...inside) => {
    const element = Object.assign(document.createElement(name), more)
    element.append(...inside)
    return element
  }

  for (const pre of document.querySelectorAll('pre')) {
    const box = make('div', { className: 'code' })
    const button = make('button', { className: 'copy', type: 'button', textContent: 'Copy' })
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(pre.textContent)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1500)
    })
    pre.replaceWith(box)
    box.append(pre, button)
  }

  const marks = new Map(
    [...document.querySelectorAll('.toc a')].map((link) => [
      document.getElementById(decodeURIComponent(link.hash.slice(1))),
      link,
    ]),
  )
  function markPlace() {
    const passed = [...marks.keys()].filter((heading) => heading.getBoundingClientRect().top < 120)
    const here = passed.at(-1)
    for (const [heading, link] of marks) {
      if (heading === here) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }
  if (marks.size > 0) {
    addEventListener('scroll', markPlace, { passive: true })
    markPlace()
  }

  const finder = document.querySelector('.finder')
  const field = finder.querySelector('input')
  const found = finder.querySelector('.found')
  let entries
  let chosen = -1
  finder.hidden = false

  async function load() {
    entries ??= fetch('/docs/search.json').then((answer) => answer.json())
    return entries
  }

  /** Every word must be there; names count more than headings, headings more than text. */
  function rate(entry, words) {
    let score = 0
    const heading = entry.h.toLowerCase()
    const text = entry.t.toLowerCase()
    for (const word of words) {
      if (heading === word) score += 40
      else if (heading.startsWith(word)) score += 20
      else if (heading.includes(word)) score += 12
      else if (entry.p.toLowerCase().includes(word)) score += 6
      else if (text.includes(word)) score += 2
      else return 0
    }
    return score + (entry.a.includes('#') ? 0 : 4)
  }

  /** The words around the first one that was looked for. */
  function excerpt(text, words) {
    const at = Math.max(0, ...words.map((word) => text.toLowerCase().indexOf(word)))
    const from = at > 40 ? text.lastIndexOf(' ', at - 20) + 1 : 0
    return (from > 0 ? '… ' : '') + text.slice(from, at + 130)
  }

  function choose(next) {
    const options = [...found.querySelectorAll('[role=option]')]
    chosen = options.length === 0 ? -1 : (next + options.length) % options.length
    for (const [index, option] of options.entries()) {
      option.setAttribute('aria-selected', String(index === chosen))
    }
    field.removeAttribute('aria-activedescendant')
    if (chosen < 0) return
    field.setAttribute('aria-activedescendant', `found-${chosen}`)
    options[chosen].scrollIntoView({ block: 'nearest' })
  }

  function show(isShown) {
    found.hidden = !isShown
    field.setAttribute('aria-expanded', String(isShown))
  }

  async function look() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return show(false)
    const rated = (await load())
      .map((entry) => ({ entry, score: rate(entry, words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, 12)
    found.replaceChildren(
      ...rated.map(({ entry }, index) => {
        const option = make(
          'li',
          { id: `found-${index}`, role: 'option' },
          make('b', { textContent: entry.h }),
          make('span', { textContent: excerpt(entry.t, words) || entry.p }),
        )
        if (entry.h !== entry.p) option.querySelector('b').append(` · ${entry.p}`)
        option.addEventListener('click', () => go(entry.a))
        option.address = entry.a
        return option
      }),
    )
    if (rated.length === 0) {
      const nothing = `Nothing says “${field.value.trim()}”.`
      found.append(make('li', { className: 'none', role: 'presentation', textContent: nothing }))
    }
    show(true)
    choose(0)
  }

  function go(address) {
    show(false)
    location.assign(`/docs/${address}`)
  }

  field.addEventListener('focus', load)
  field.addEventListener('input', look)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      field.value = ''
      show(false)
      field.blur()
    } else if (event.key === 'ArrowDown') choose(chosen + 1)
    else if (event.key === 'ArrowUp') choose(chosen - 1)
    else if (event.key === 'Enter') {
      const option = found.querySelector('[aria-selected=true]')
      if (option) go(option.address)
    } else return
    event.preventDefault()
  })
  addEventListener('click', (event) => {
    if (!finder.contains(event.target)) show(false)
  })
  addEventListener('keydown', (event) => {
    const isWriting = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')
    if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })
}
