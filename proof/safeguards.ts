// What keeps each promise, and how it is left out of a tree (tree.ts): the tests named there must notice. A test that stays
// green without the safeguard it is there for proves nothing.
import { keepingApart } from './safeguards/keeping-apart.ts'
import { receiving } from './safeguards/receiving.ts'
import { sending } from './safeguards/sending.ts'

export const safeguards = [...receiving, ...sending, ...keepingApart]
