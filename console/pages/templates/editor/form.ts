// What is being written, where it came from, and what is wrong with it so far.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { post } from '../../../api/call.ts'
import { ApiProblem } from '../../../api/problem.ts'
import { useTenant } from '../../../shell/tenant.tsx'
import { useLanguage } from '../../../words/language.tsx'
import { type BusinessAccount, type Template, templatesPath } from '../data.ts'
import {
  type Category,
  type Content,
  emptyContent,
  fieldNamed,
  formatOf,
  newButton,
  readComponents,
  toComponents,
} from '../draft.ts'
import { likelyLanguage } from './languages.ts'

export interface Draft {
  accountId: string
  name: string
  language: string
  category: Category
  mayRecategorise: boolean
  content: Content
}

/** What every part of the form gets. */
export interface FormPart {
  draft: Draft
  /** `field`: which one the person wrote in; its problems are shown from then on. */
  change(draft: Partial<Draft>, field: string): void
  write(content: Partial<Content>, field: string): void
  problemOf(field: string): string | undefined
}

/** Nothing written is lost by looking elsewhere; it ends with the session, or when Meta has it. */
function useKept(key: string, first: () => Draft) {
  const [draft, setDraft] = useState<Draft>(() => {
    const kept = sessionStorage.getItem(key)
    return kept === null ? first() : (JSON.parse(kept) as Draft)
  })
  return {
    draft,
    setDraft(next: Draft) {
      sessionStorage.setItem(key, JSON.stringify(next))
      setDraft(next)
    },
    forget: () => sessionStorage.removeItem(key),
  }
}

export function useDraft(template: Template | undefined, accounts: BusinessAccount[]) {
  const { id: tenantId } = useTenant()
  const { language } = useLanguage()
  return useKept(`estafet.template ${tenantId} ${template?.id ?? 'new'}`, () =>
    template
      ? draftOf(template)
      : {
          accountId: accounts[0]?.accountId ?? '',
          name: '',
          language: likelyLanguage[language],
          category: 'UTILITY',
          mayRecategorise: true,
          content: emptyContent,
        },
  )
}

export function draftOf(template: Template): Draft {
  const { components, parameter_format, category } = template
  const content = readComponents(components ?? [], parameter_format ?? 'POSITIONAL')
  return {
    accountId: '',
    name: template.name,
    language: template.language,
    category: category === 'MARKETING' || category === 'AUTHENTICATION' ? category : 'UTILITY',
    mayRecategorise: false,
    content:
      category === 'AUTHENTICATION'
        ? { ...content, buttons: [newButton('OTHER', { text: content.buttons[0]?.text ?? '' })] }
        : content,
  }
}

export function definitionOf({ category, content }: Draft) {
  const parameter_format = formatOf(content)
  return {
    category,
    parameter_format,
    components: toComponents(content, category, parameter_format),
  }
}

/** By field of the form, in the API's words. */
export type Problems = Record<string, string>

export function problemsIn(
  error: unknown,
  components: Record<string, unknown>[],
): Problems | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const { fields } = error.details as { fields?: { field: string; problem: string }[] }
  if (!fields) return undefined
  return Object.fromEntries(
    // The first problem of a field is the one to mend first.
    fields.toReversed().map(({ field, problem }) => [fieldNamed(field, components), problem]),
  )
}

const pauseMs = 300

/** Asks the API while one writes: the same checks as when it is sent. */
export function useProblems(draft: Draft): { problems: Problems; isChecked: boolean } {
  const definition = JSON.stringify(definitionOf(draft))
  const [settled, setSettled] = useState(definition)
  useEffect(() => {
    const wait = setTimeout(() => setSettled(definition), pauseMs)
    return () => clearTimeout(wait)
  }, [definition])
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['template-problems', settled],
    queryFn: async ({ signal }): Promise<Problems> => {
      const template = JSON.parse(settled)
      try {
        const wish = { template, components: [], with_examples: true }
        await post(`${templatesPath}/preview`, wish, { signal })
        return {}
      } catch (error) {
        const problems = problemsIn(error, template.components)
        if (problems) return problems
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  })
  const isChecked = data !== undefined && !isPlaceholderData && settled === definition
  return { problems: data ?? {}, isChecked }
}
