// A copy of the sources for proofs alone: its crash points are calls (crash-at.ts), and a safeguard can be left out of it
// (safeguards.ts). The product itself has no switch for either.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { packageRoot } from '../src/package-root.ts'
import { bundleProgram } from '../test/support/bundle-program.ts'

/** A text of one file that makes place for another. */
export interface Edit {
  file: string
  find: string
  replace: string
}

export interface Tree {
  root: string
  /** The program, built from the tree in one file. */
  bundle(): Promise<string>
  remove(): Promise<void>
}

const copied = [
  ...[
    'src',
    'client',
    'simulator',
    'migrations',
    'console',
    'test',
    'proof',
    'bench',
    'docs',
    'scripts',
  ],
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json', 'vitest.config.ts'],
]

const pointPattern = /^([ \t]*)\/\/ crash point: (\S+)$/gm

/** Every crash point of the sources: its label, and the file it is in. */
export async function findCrashPoints(
  root = packageRoot,
): Promise<{ label: string; file: string }[]> {
  const points: { label: string; file: string }[] = []
  for (const file of await sourceFiles(root)) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [, , label = ''] of text.matchAll(pointPattern)) points.push({ label, file })
  }
  return points
}

export async function makeTree(edits: Edit[] = []): Promise<Tree> {
  const root = await mkdtemp(join(tmpdir(), 'estafet-proof-'))
  for (const name of copied)
    await cp(join(packageRoot, name), join(root, name), { recursive: true })
  await symlink(join(packageRoot, 'node_modules'), join(root, 'node_modules'))
  for (const edit of edits) await apply(edit, root)
  await arm(root)
  return {
    root,
    async bundle() {
      const outDir = join(root, 'dist', 'tests')
      await mkdir(outDir, { recursive: true })
      return bundleProgram(join(root, 'src', 'cli.ts'), outDir)
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** The text that an edit leaves. What it looks for must be there, and only once: otherwise it would remove something else, or
 *  nothing. */
export function edited(text: string, { file, find, replace }: Edit): string {
  const count = text.split(find).length - 1
  if (count !== 1) throw new Error(`${file} has ${count} times, instead of once: ${find}`)
  return text.replace(find, () => replace)
}

async function apply(edit: Edit, root: string): Promise<void> {
  const path = join(root, edit.file)
  await writeFile(path, edited(await readFile(path, 'utf8'), edit))
}

async function arm(root: string): Promise<void> {
  await cp(join(packageRoot, 'proof', 'crash-at.ts'), join(root, 'src', 'crash-at.ts'))
  for (const file of await sourceFiles(root)) {
    const path = join(root, file)
    const text = await readFile(path, 'utf8')
    const armed = text.replace(pointPattern, "$1crashAt('$2')")
    if (armed === text) continue
    const from = relative(dirname(file), 'src/crash-at.ts')
    const module = from.startsWith('.') ? from : `./${from}`
    // At the end, so that every line keeps its number.
    await writeFile(path, `${armed}import { crashAt } from '${module}'\n`)
  }
}

/** All of them but the tests. */
export async function sourceFiles(root = packageRoot): Promise<string[]> {
  const names = await readdir(join(root, 'src'), { recursive: true })
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join('src', name))
    .sort()
}
