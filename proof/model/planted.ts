// Bugs that can be planted in the model, each the kind of mistake that its guard is there for. Only the model has them.

export const bugs = [
  'a settlement needs no fence',
  'an ambiguous send is sent again at once',
  'silence counts while the inbox is behind',
  'a denial is believed whatever lies unread',
  'at_most_once is forgotten after a crash',
  'the last status wins',
  'an early status is dropped',
  'an open circuit lets everyone try',
  'a hold is not looked at',
  'the cap does not count what runs',
  'a lane has no order',
  'a requeue revives the dead row',
  'an opt-out is not looked at again',
  'a lost lease still posts',
  'a late slot is used all the same',
  'the next in the lane is not woken',
  'reconnecting wakes nobody',
  'a failed attempt ends the row',
  'a known claim is given back',
] as const

export type Bug = (typeof bugs)[number]
