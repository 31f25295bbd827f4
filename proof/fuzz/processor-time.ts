// How long something took on the processor: however much else the machine has to do.
import { parseJson } from '../../src/meta/json.ts'

/** All that this process used since, the collector of garbage included. */
export function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/** What it takes anybody to read these bytes as JSON. */
export function readingMs(bytes: Buffer): number {
  const before = process.cpuUsage()
  parseJson(bytes)
  return processorMs(before)
}
