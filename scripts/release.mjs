// `npm run release -- <major|minor|patch> [--dry-run]`: looks whether a release can be made, and makes it as one commit, one tag
// and one tarball. It sends nothing anywhere: how to publish is printed at the end.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

/** What keeps a release from being made, in a sentence for whoever wants to make it. */
class Refusal extends Error {}

const files = { manifest: 'package.json', lock: 'package-lock.json', changelog: 'CHANGELOG.md' }

function read(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    shell: onWindows,
  })
  if (status !== 0) throw new Refusal(`${command} ${args.join(' ')} failed: ${stderr.trim()}`)
  return stdout.trim()
}

function run(command, args) {
  say(`$ ${command} ${args.join(' ')}`)
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: onWindows })
  if (status !== 0)
    throw new Refusal(`${command} ${args.join(' ')} failed, so nothing was released.`)
}

const onWindows = process.platform === 'win32'
const say = (line) => void process.stdout.write(`${line}\n`)
const json = (file) => JSON.parse(readFileSync(file, 'utf8'))

function nextVersion(version, step) {
  const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number)
  if (!parts)
    throw new Refusal(`The version in ${files.manifest} is ${version}, not three numbers.`)
  const place = ['major', 'minor', 'patch'].indexOf(step)
  return parts.map((part, at) => (at < place ? part : at === place ? part + 1 : 0)).join('.')
}

/** The entries under Unreleased become this version's; an empty Unreleased stays above them. */
function moveUnreleased(text, version, day) {
  const found = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text)
  if (!found) throw new Refusal(`${files.changelog} has no section "## Unreleased".`)
  const [section, entries = ''] = found
  if (!/^- /m.test(entries))
    throw new Refusal(`${files.changelog} has no entries under "## Unreleased": say what changed.`)
  const moved = `## Unreleased\n\n## ${version} - ${day}\n${entries}`
  return { text: text.replace(section, () => moved), entries: entries.trim() }
}

function lookAtTheRepository(version) {
  const branch = read('git', ['branch', '--show-current'])
  if (branch !== 'main')
    throw new Refusal(`Releases are made on main, and this is ${branch || 'no branch'}.`)
  const changed = read('git', ['status', '--porcelain'])
  if (changed !== '') throw new Refusal(`There are changes that are not committed:\n${changed}`)
  if (read('git', ['tag', '--list', `v${version}`]) !== '')
    throw new Refusal(`The tag v${version} is there already.`)
}

function writeVersion(version) {
  const manifest = readFileSync(files.manifest, 'utf8')
  writeFileSync(files.manifest, manifest.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`))
  const lock = json(files.lock)
  lock.version = version
  lock.packages[''].version = version
  writeFileSync(files.lock, `${JSON.stringify(lock, null, 2)}\n`)
}

function release(step, isDryRun) {
  const { name, version: current } = json(files.manifest)
  const version = nextVersion(current, step)
  lookAtTheRepository(version)
  const day = new Date().toISOString().slice(0, 10)
  const changelog = moveUnreleased(readFileSync(files.changelog, 'utf8'), version, day)
  say(`${name} ${current} → ${version}, ${day}\n\n${changelog.entries}\n`)
  if (isDryRun) {
    say(
      'It could be released. Nothing was changed, because of --dry-run; the gate (npm run check) was not run either.',
    )
    return
  }
  run('npm', ['run', 'check'])
  writeVersion(version)
  writeFileSync(files.changelog, changelog.text)
  const message = ['--message', `Release ${version}`]
  run('git', ['commit', '--quiet', ...message, '--', ...Object.values(files)])
  run('git', ['tag', '--annotate', `v${version}`, '--message', `${name} ${version}`])
  run('npm', ['pack'])
  say(`
${name}-${version}.tgz is made, commit and tag are in this repository, and nothing has left it. To publish:
  npm audit --omit=dev
  git push --follow-tags
  npm publish ${name}-${version}.tgz`)
}

const [step = '', ...options] = process.argv.slice(2)
try {
  if (!['major', 'minor', 'patch'].includes(step) || options.some((it) => it !== '--dry-run'))
    throw new Refusal('Usage: npm run release -- <major|minor|patch> [--dry-run]')
  release(step, options.includes('--dry-run'))
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`release: ${error.message}\n`)
  process.exitCode = 1
}
