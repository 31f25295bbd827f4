import { expect, test } from 'vitest'
import { systemClock } from './time-and-chance.ts'

test('a wait that is longer than a timer can hold does not end at once', async () => {
  const ended: string[] = []
  const cancel = systemClock.after(2 ** 40, () => ended.push('long'))
  // Timers end in the order of their times: one that was taken for none would be first.
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      ended.push('short')
      resolve()
    }, 2)
  })
  cancel()

  expect(ended).toEqual(['short'])
})
