// Builds the console's page into dist/console, each file also compressed: the gateway sends what is there.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const outDir = resolve(import.meta.dirname, '../dist/console')

function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      for (const file of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
        const path = join(outDir, file)
        if (!statSync(path).isFile() || !/\.(js|css|html|svg)$/.test(file)) continue
        const content = readFileSync(path)
        const quality = { [constants.BROTLI_PARAM_QUALITY]: 10 }
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params: quality }))
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
      }
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed()],
  build: {
    outDir,
    emptyOutDir: true,
    // Says what a view loads: test/console/first-load.test.ts adds it up.
    manifest: true,
    // The licences of what is bundled ask to be handed on with it: /console/licenses.txt.
    license: { fileName: 'licenses.txt' },
    target: 'es2022',
    // The page's policy lets nothing in but files of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/connect': 'http://127.0.0.1:8080' } },
})
