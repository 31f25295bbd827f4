/** From when to when something was so, by the clock. */
export interface Span {
  fromMs: number
  toMs: number
}

export const touches = (span: Span, { fromMs, toMs }: Span) =>
  span.fromMs <= toMs && span.toMs >= fromMs
