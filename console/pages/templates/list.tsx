// Templates by name: their languages, what Meta thinks of them, and filters that are in the address.
import { useState } from 'react'
import { Badge, Segments, State } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty } from '../../parts/states.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useShortcut } from '../../shell/shortcuts.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import type { BusinessAccount, Template } from './data.ts'
import {
  countIn,
  type Filter,
  filters,
  firstWords,
  type Group,
  groupsOf,
  toneOf,
  type Wish,
} from './grouping.ts'
import { useSpeech } from './speech.ts'
import { templateWords } from './words.ts'

/** More than anybody reads at once; the rest is one press away. */
const shownAtOnce = 100

export function useWish(): Wish {
  const { search } = usePlace()
  return {
    filter: filters.find((one) => one === search.show) ?? 'all',
    category: search.category ?? '',
    sought: search.q ?? '',
  }
}

export function TemplateTools({ templates, wish }: { templates: Template[]; wish: Wish }) {
  const words = useWords(templateWords)
  const format = useFormat()
  const { ask } = usePlace()
  const labels: Record<Filter, string> = {
    all: words.all,
    approved: words.approved,
    review: words.inReview,
    act: words.needsYou,
  }
  useShortcut('/', words.search, () => document.getElementById('template-search')?.focus())
  return (
    <div className="list-tools">
      <Segments
        label={words.filter}
        choices={filters.map((value) => ({
          value,
          label: labels[value],
          count: format.number(countIn(templates, value, wish)),
        }))}
        chosen={wish.filter}
        onChoose={(show) => ask({ show: show === 'all' ? undefined : show })}
      />
      <select
        className="control"
        aria-label={words.category}
        value={wish.category}
        onChange={(event) => ask({ category: event.target.value || undefined })}
      >
        <option value="">{words.anyCategory}</option>
        {(['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const).map((category) => (
          <option key={category} value={category}>
            {words.categories[category]}
          </option>
        ))}
      </select>
      <label className="control">
        <Icon name="search" />
        <input
          id="template-search"
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={wish.sought}
          onChange={(event) => ask({ q: event.target.value || undefined })}
        />
        <kbd className="wide-only">/</kbd>
      </label>
    </div>
  )
}

interface TableProps {
  templates: Template[]
  wish: Wish
  accounts: BusinessAccount[]
  chosenId: string | undefined
}

export function TemplateTable({ templates, wish, accounts, chosenId }: TableProps) {
  const words = useWords(templateWords)
  const format = useFormat()
  const { ask, go, search } = usePlace()
  const [shown, setShown] = useState(shownAtOnce)
  const groups = groupsOf(templates, wish)
  const at = groups.findIndex((group) => group.templates.some(({ id }) => id === chosenId))
  const step = (by: number) => {
    const next = groups[Math.max(0, Math.min(groups.length - 1, at + by))]
    if (next) go(`/templates/${next.worst.id}`, search, { replace: true })
  }
  useShortcut('j', words.next, () => step(1))
  useShortcut('k', words.previous, () => step(-1))
  if (groups.length === 0) {
    return (
      <Empty
        title={words.nothingFound}
        actions={
          <Button onClick={() => ask({ show: undefined, category: undefined, q: undefined })}>
            {words.showAll}
          </Button>
        }
      >
        {words.nothingFoundText}
      </Empty>
    )
  }
  const hasAccounts = new Set(templates.map(({ waba_id }) => waba_id)).size > 1
  return (
    <>
      <table className="table templates-table">
        <thead>
          <tr>
            <th>{words.name}</th>
            <th>{words.languages}</th>
            <th>{words.state}</th>
            <th className="templates-wide">{words.category}</th>
            <th className="templates-wide">{words.quality}</th>
            {hasAccounts && <th className="templates-wide">{words.account}</th>}
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, shown).map((group, index) => (
            <Row
              key={group.key}
              group={group}
              isChosen={index === at}
              account={hasAccounts ? nameOf(group.wabaId, accounts) : undefined}
            />
          ))}
        </tbody>
      </table>
      {groups.length > shown && (
        <div className="templates-more">
          <Button onClick={() => setShown(shown + shownAtOnce)}>
            {words.showMore(format.number(Math.min(shownAtOnce, groups.length - shown)))}
          </Button>
        </div>
      )}
    </>
  )
}

export const nameOf = (wabaId: string, accounts: BusinessAccount[]) =>
  accounts.find((one) => one.wabaId === wabaId)?.numbers ?? wabaId

function Row({
  group,
  isChosen,
  account,
}: {
  group: Group
  isChosen: boolean
  account: string | undefined
}) {
  const { go, search } = usePlace()
  const speech = useSpeech()
  const { name, templates, worst } = group
  const { tenant: _, ...kept } = search
  return (
    <tr
      className="opens"
      aria-selected={isChosen}
      onClick={() => go(`/templates/${worst.id}`, search)}
    >
      <td>
        <div className="templates-name">
          <ViewLink to={`/templates/${worst.id}`} search={kept}>
            {name}
          </ViewLink>
          <span className="xs muted cut">{firstWords(worst)}</span>
        </div>
      </td>
      <td>
        <span className="row wrap templates-languages">
          {templates.slice(0, 4).map(({ id, language }) => (
            <span key={id} title={speech.language(language)}>
              <Badge>{language}</Badge>
            </span>
          ))}
          {templates.length > 4 && <span className="xs muted">+{templates.length - 4}</span>}
        </span>
      </td>
      <td>
        <State tone={toneOf(worst.status)}>{speech.state(worst.status)}</State>
      </td>
      <td className="templates-wide">{speech.category(worst.category)}</td>
      <td className="templates-wide">
        <Quality quality={worst.quality} />
      </td>
      {account !== undefined && <td className="templates-wide muted">{account}</td>}
    </tr>
  )
}

export function Quality({ quality }: { quality: string | null }) {
  const speech = useSpeech()
  const text = speech.quality(quality)
  if (quality === 'YELLOW') return <Badge tone="warn">{text}</Badge>
  if (quality === 'RED') return <Badge tone="bad">{text}</Badge>
  return <span className={quality === 'GREEN' ? '' : 'muted'}>{text}</span>
}
