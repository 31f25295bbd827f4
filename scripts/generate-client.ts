// Writes client/generated.ts anew, from the routes as they are: `npm run generate:client`.
import { writeFileSync } from 'node:fs'
import { openApiDocument } from '../src/api/openapi.ts'
import { readConfig } from '../src/config.ts'
import { apiRoutes } from '../src/gateway.ts'
import { createRuntime } from '../src/runtime.ts'
import { clientSource } from './client-source.ts'

// Of a gateway that is never started.
const config = readConfig(
  {
    META_APP_ID: '0',
    META_APP_SECRET: 'none',
    META_VERIFY_TOKEN: 'none',
    ADMIN_API_KEY: 'nobody-comes-in-with-this-key',
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  },
  { mode: 'dev' },
)
const runtime = createRuntime({ config, databaseUrl: 'postgres://127.0.0.1:1/nowhere' })
const source = clientSource(openApiDocument(apiRoutes(runtime), '0'))
writeFileSync(new URL('../client/generated.ts', import.meta.url), source)
await runtime.close()
