// Google's Timestamp and Duration against Date and milliseconds.
import type { protos } from '@google-cloud/tasks'

type Timestamp = protos.google.protobuf.ITimestamp
type Duration = protos.google.protobuf.IDuration

export const toMs = ({ seconds, nanos }: Duration | Timestamp) =>
  Number(seconds ?? 0) * 1000 + (nanos ?? 0) / 1e6

export const toDate = (time: Timestamp) => new Date(toMs(time))

export function fromMs(ms: number): { seconds: number; nanos: number } {
  const seconds = Math.floor(ms / 1000)
  return { seconds, nanos: Math.round((ms - seconds * 1000) * 1e6) }
}

export const fromDate = (date: Date) => fromMs(date.getTime())
