// `npm run release -- <major|minor|patch|current> [--dry-run] [--audited]`: looks whether a release can be made, and makes it as one
// commit, one tag and one tarball. It sends nothing anywhere: how to publish is printed at the end.
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

/** Who fails is told where that leaves the repository. */
function run(command, args, otherwise) {
  say(`$ ${command} ${args.join(' ')}`)
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: onWindows })
  if (status !== 0) throw new Refusal(`${command} ${args.join(' ')} failed. ${otherwise}`)
}

/** Advisories about what is installed in production. */
function audit() {
  const args = ['audit', '--omit=dev', '--json']
  say(`$ npm ${args.join(' ')}`)
  const { status, stdout } = spawnSync('npm', args, { encoding: 'utf8', shell: onWindows })
  if (status === 0) return
  const { vulnerabilities, statusCode, message, error } = parsed(stdout)
  const hint = 'then say --audited. Nothing was changed.'
  const names = Object.keys(vulnerabilities ?? {})
  if (names.length > 0)
    throw new Refusal(
      `There are advisories about ${names.join(', ')} (npm audit --omit=dev tells more). Mend that, or explain in ${files.changelog} why it does not matter here; ${hint}`,
    )
  const isAbsent = statusCode === 404 || statusCode === 405
  const why = isAbsent
    ? `The registry that npm asks here has no audits (it answers ${statusCode}).`
    : `npm audit failed: ${message || error?.summary || 'without a word'}.`
  throw new Refusal(
    `${why} Look with one that has them (npm audit --omit=dev --registry=<address>); ${hint}`,
  )
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const onWindows = process.platform === 'win32'
const say = (line) => void process.stdout.write(`${line}\n`)
const json = (file) => JSON.parse(readFileSync(file, 'utf8'))

function nextVersion(version, step) {
  const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number)
  if (!parts)
    throw new Refusal(`The version in ${files.manifest} is ${version}, not three numbers.`)
  if (step === 'current') return version
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

function release(step, { isDryRun, isAudited }) {
  const { name, version: current } = json(files.manifest)
  const version = nextVersion(current, step)
  lookAtTheRepository(version)
  const day = new Date().toISOString().slice(0, 10)
  const changelog = moveUnreleased(readFileSync(files.changelog, 'utf8'), version, day)
  say(`${name} ${current} → ${version}, ${day}\n\n${changelog.entries}\n`)
  if (isDryRun) {
    say(
      'It could be released. Nothing was changed, because of --dry-run; the gate (npm test, npm audit) was not run either.',
    )
    return
  }
  run('npm', ['test'], 'Nothing was changed.')
  if (!isAudited) audit()
  writeVersion(version)
  writeFileSync(files.changelog, changelog.text)
  make(name, version)
  say(`
${name}-${version}.tgz is made, commit and tag are in this repository, and nothing has left it. To publish:
  git push --follow-tags
  npm publish ${name}-${version}.tgz`)
}

/** The commit, the tag and the tarball. */
function make(name, version) {
  const changed = Object.values(files)
  const commit = ['commit', '--quiet', '--message', `Release ${version}`, '--', ...changed]
  const takeBack = `git restore --staged --worktree ${changed.join(' ')}`
  run('git', commit, `The new version is written but not committed; to take it back: ${takeBack}`)
  const tag = ['tag', '--annotate', `v${version}`, '--message', `${name} ${version}`]
  const isMade = `The commit "Release ${version}" is made`
  run('git', tag, `${isMade}, its tag is not; to take it back: git reset --keep HEAD~1`)
  run('npm', ['pack'], `${isMade}, and so is the tag v${version}; only the tarball is missing.`)
}

const [step = '', ...options] = process.argv.slice(2)
try {
  const isOption = (it) => ['--dry-run', '--audited'].includes(it)
  if (!['major', 'minor', 'patch', 'current'].includes(step) || !options.every(isOption))
    throw new Refusal(
      'Usage: npm run release -- <major|minor|patch|current> [--dry-run] [--audited]',
    )
  const isDryRun = options.includes('--dry-run')
  release(step, { isDryRun, isAudited: options.includes('--audited') })
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`release: ${error.message}\n`)
  process.exitCode = 1
}
