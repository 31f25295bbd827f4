// Whether the process in this container is alive, for images without curl. An address may be given; PORT decides otherwise.
// biome-ignore lint/style/noProcessEnv: it runs beside the gateway, in the gateway's environment.
const port = process.env.PORT || '8080'
const url = process.argv[2] ?? `http://127.0.0.1:${port}/healthz`

const isAlive = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  (answer) => answer.ok,
  () => false,
)
process.exit(isAlive ? 0 : 1)
