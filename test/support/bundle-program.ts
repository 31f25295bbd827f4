// The program in one file, started with what V8 made of it before: less than half of the CPU time of a start from the build, a
// fifth of one from the sources.
import { execFile } from 'node:child_process'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../../src/package-root.ts'

/** Clients that read files beside their own code stay where they are; the first is not there at all. */
const unbundled = [
  'pg-native',
  '@google-cloud/*',
  '@grpc/*',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  'google-auth-library',
  'ioredis',
]

/** Runs one of the installed commands. */
export function runInstalled(command: string, args: string[]) {
  return promisify(execFile)(join(packageRoot, 'node_modules', '.bin', command), args, {
    cwd: packageRoot,
    // Vitest says `test`, with which the console would be built for developers.
    // biome-ignore lint/style/noProcessEnv: for the builders, not the gateway's settings.
    env: { ...process.env, NODE_ENV: 'production' },
  })
}

const bundle = (entry: string, options: string[]) =>
  runInstalled('esbuild', [
    ...[entry, '--bundle', '--platform=node', '--log-level=error', ...options],
    ...unbundled.map((name) => `--external:${name}`),
  ])

/** Returns what to start with Node. */
export async function bundleProgram(entry: string, outDir: string): Promise<string> {
  const started = join(outDir, 'estafet.cjs')
  // V8 tells by no more than its length whether a cache is of this text.
  await rm(join(outDir, 'bundle.cache'), { force: true })
  await cp(join(packageRoot, 'test', 'support', 'start-bundle.cjs'), started)
  await bundle(entry, [
    // A script: Node takes a cache of those alone, and they have no `import`. Without spaces a quarter less is to be read.
    ...['--format=cjs', '--supported:dynamic-import=false', '--minify-whitespace'],
    `--outfile=${join(outDir, 'bundle.js')}`,
    '--define:import.meta.url=bundleUrl',
    '--banner:js=(function (require, bundleUrl) { "use strict"; const exports = {}, module = { exports };',
    '--footer:js=})',
  ])
  return started
}

/** In the place of its entry, for whoever starts it under that name. */
export async function bundleInPlace(folder: string, name: string): Promise<void> {
  await bundleProgram(join(folder, name), join(folder, 'bundled'))
  await writeFile(join(folder, name), "import './bundled/estafet.cjs'\n")
}
