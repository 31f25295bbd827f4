// The names of queues and tasks, as Cloud Tasks allows them.
import { invalid } from './grpc-error.ts'

const location = 'projects/[A-Za-z0-9.:-]+/locations/[A-Za-z0-9-]+'
const queue = `${location}/queues/[A-Za-z0-9-]{1,100}`
const task = `${queue}/tasks/[A-Za-z0-9_-]{1,500}`

const forms = {
  location: new RegExp(`^${location}$`),
  queue: new RegExp(`^${queue}$`),
  task: new RegExp(`^${task}$`),
}

const patterns = {
  location: 'projects/PROJECT_ID/locations/LOCATION_ID',
  queue:
    'projects/PROJECT_ID/locations/LOCATION_ID/queues/QUEUE_ID (letters, digits, "-", at most 100)',
  task: 'projects/PROJECT_ID/locations/LOCATION_ID/queues/QUEUE_ID/tasks/TASK_ID (letters, digits, "-", "_", at most 500)',
}

/** The name, or INVALID_ARGUMENT. */
export function checkName(kind: keyof typeof forms, name: string | null | undefined): string {
  if (name === null || name === undefined || !forms[kind].test(name)) {
    throw invalid(`The ${kind} name ${JSON.stringify(name ?? '')} must be ${patterns[kind]}.`)
  }
  return name
}

export const parentOf = (name: string) => name.split('/').slice(0, -2).join('/')
export const shortName = (name: string) => name.slice(name.lastIndexOf('/') + 1)
