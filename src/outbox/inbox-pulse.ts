// What sending expects of the inbox before it takes silence for an answer. Kept by inbox/watch.ts, read before a POST.

/** What came so long ago should be processed by now. */
export const inboxPatienceMs = 5_000

/** How often a process that receives webhooks says so. */
export const pulseMs = 2_000

/** After so long without a pulse nobody received anything: ten of them, for a machine that is busy beyond all measure. */
export const longestBreakSeconds = 20

/** The same where only the sweep says so (dispatch/cloud-tasks.ts), once a minute: one that comes late, or not at all, is no break. */
export const longestBreakBetweenSweepsSeconds = 150
