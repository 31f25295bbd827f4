/** A taken port, said so that a person knows what to do; any other error as it is. */
export function explainPort(error: unknown, port: number, variable: string): never {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
  throw new Error(
    `Port ${port} is taken by another program. Stop it, or choose another: ${variable}${variable.startsWith('--') ? ' ' : '='}0 picks a free one.`,
    { cause: error },
  )
}
