// Runs for every test file before its own code, so that this is done after everything else.
import { afterAll } from 'vitest'
import { endFile } from './after-file.ts'

afterAll(endFile)
