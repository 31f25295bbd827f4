// Where sending the same once more is not what helps.
import type { Letter } from './letters.ts'

const passing: Letter['reason'][] = ['tries', 'limits', 'unknown', 'processing']

export const failsAgain = (reason: Letter['reason']) => !passing.includes(reason)
