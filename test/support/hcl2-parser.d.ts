declare module 'hcl2-parser' {
  /** The parsed text and the error; one of the two is null. Blocks are lists, expressions stay text: `${var.name}`. */
  export function parseToObject(text: string): [unknown, unknown]
}
