// Installs the Node versions that the tests start the program on: `node --import tsx test/node-versions/install.ts`. The tests do
// this themselves; a person runs it to see why that failed, or on a network that needs more than the tests' two minutes.
import { installNodes } from '../support/node-versions.ts'

process.stdout.write(`installed in ${await installNodes()}\n`)
