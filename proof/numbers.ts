// What flags say in numbers: what is no number is refused by name, before anything starts.

/** Ends the process with 2, which no finding does. */
export function numberOf(flag: string, text: string, least = 0): number {
  return accepted(flag, text, least, 'a number', Number.isFinite)
}

export function wholeNumberOf(flag: string, text: string, least = 0): number {
  return accepted(flag, text, least, 'a whole number', Number.isSafeInteger)
}

function accepted(
  flag: string,
  text: string,
  least: number,
  what: string,
  isRight: (value: number) => boolean,
): number {
  // Nothing at all counts as 0.
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (isRight(value) && value >= least) return value
  console.error(`--${flag} takes ${what} of at least ${least}, not "${text}".`)
  process.exit(2)
}
