import { migrate } from '../db/migrate.ts'
import { systemClock } from '../time-and-chance.ts'
import { joinDatabase } from './database.ts'
import { commandConfig } from './manage.ts'

export async function migrateCommand(): Promise<void> {
  const database = await joinDatabase(await commandConfig(), systemClock)
  try {
    const applied = await migrate(database.url)
    const told =
      applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.'
    process.stdout.write(`${told}\n`)
  } finally {
    await database.close()
  }
}
