/** Why a message failed, in the words of the status webhook. */
export interface StatusError {
  code: number
  title: string
  details?: string
}
