// Loaded before a gateway that is fuzzed: tells whoever started it, when asked, for how long its event loop was kept busy without
// a break since it was last asked. Counted in time on the processor: a machine that has no time for us is no stall of ours.
const everyMs = 20

let longestMs = 0
let tickedMs = performance.now()
let cpu = process.cpuUsage()

function tick() {
  const [nowMs, used] = [performance.now(), process.cpuUsage(cpu)]
  const cpuMs = (used.user + used.system) / 1000
  // Other threads use the processor too, but none makes a break longer than it was.
  longestMs = Math.max(longestMs, Math.min(nowMs - tickedMs, cpuMs))
  tickedMs = nowMs
  cpu = process.cpuUsage()
}

setInterval(tick, everyMs).unref()
process.on('message', () => {
  tick()
  process.send?.({ longestMs })
  longestMs = 0
})
process.channel?.unref()
