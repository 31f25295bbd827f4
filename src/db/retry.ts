// A transaction that lost against another one is done again: both were right, they only met in the wrong order.
import { type Db, isContention, type Tx } from './connect.ts'

const maxTries = 5

export async function transactionWithRetry<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      if (!isContention(error) || tries >= maxTries) throw error
    }
  }
}
