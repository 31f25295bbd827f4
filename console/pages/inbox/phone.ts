// Phone numbers in groups that can be read aloud.

const shortCodes = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** How the digits after the country's code are grouped, by how many there are. */
const groups: Record<number, number[]> = {
  5: [5],
  6: [3, 3],
  7: [3, 4],
  8: [4, 4],
  9: [3, 3, 3],
  10: [3, 3, 4],
  11: [3, 4, 4],
  12: [4, 4, 4],
}

/** `+62 811 0000 0193`. What is no phone number stays as it is. */
export function phoneText(waId: string): string {
  if (!/^\d{6,15}$/.test(waId)) return waId
  const code = shortCodes.exec(waId)?.[0] ?? waId.slice(0, 3)
  const rest = waId.slice(code.length)
  const parts: string[] = []
  let at = 0
  for (const length of groups[rest.length] ?? [rest.length]) {
    parts.push(rest.slice(at, at + length))
    at += length
  }
  return `+${[code, ...parts].join(' ')}`
}
