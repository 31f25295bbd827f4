import { expect, test } from 'vitest'
import { systemClock } from './time-and-chance.ts'

test('a wait that is longer than a timer can hold does not end at once', async () => {
  let isOver = false
  const cancel = systemClock.after(2 ** 40, () => {
    isOver = true
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  cancel()

  expect(isOver).toBe(false)
})
