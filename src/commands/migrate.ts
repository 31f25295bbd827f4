// `estafet migrate`: brings the database up to date and ends.
import { migrate } from '../db/migrate.ts'
import { systemClock } from '../time-and-chance.ts'
import { joinDatabase } from './database.ts'
import { commandConfig, print, type TableOptions } from './manage.ts'
import { withProgress } from './progress.ts'
import { unlessStopped } from './signals.ts'

export async function migrateCommand(options: TableOptions): Promise<void> {
  const database = await joinDatabase(await commandConfig(), systemClock)
  try {
    const applied = await withProgress('Migrating', options, ({ at }) =>
      unlessStopped(migrate(database.url, undefined, at)),
    )
    const told =
      applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.'
    print(options, { applied }, told)
  } finally {
    await database.close()
  }
}
