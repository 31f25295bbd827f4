// The service's definition, from the very package whose client calls it.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ServiceDefinition } from '@grpc/grpc-js'
import { fromJSON } from '@grpc/proto-loader'

/** One file with everything that the protos import, so no other package's folder is needed. */
const file = () =>
  join(
    dirname(createRequire(import.meta.url).resolve('@google-cloud/tasks/build/protos')),
    'protos.json',
  )

export function loadCloudTasksService(): ServiceDefinition {
  const definitions = fromJSON(JSON.parse(readFileSync(file(), 'utf8')), {
    longs: Number,
    enums: String,
  })
  return definitions['google.cloud.tasks.v2.CloudTasks'] as ServiceDefinition
}
