// The gaps in a template's texts: {{1}}, {{2}} … or {{first_name}}.

/** Each once, in the order of their first appearance; as the API reads them. */
export function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = '']) => name.trim()))]
}
