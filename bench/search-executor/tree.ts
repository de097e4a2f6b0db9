import { closeSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { createRandom, type Random } from '../../test/support/random.ts';
import { QUERIES, SEED } from './sizes.ts';

/** A folder and what lies in it. */
export interface Folder {
  /** Relative to the root; '' is the root. */
  readonly path: string;
  readonly files: readonly string[];
}

const FILES_IN_A_FOLDER = 40;
const DEEPEST = 8;
/** Of file names; the word is in folder names more often, where it must not count. */
const MATCHES = 0.01;
const EXTENSIONS = ['pdf', 'txt', 'ts', 'jpg', 'md', 'csv', 'docx', 'eml', 'json', 'tar.gz'];
const WORDS =
  'report budget index main draft photo notes plan summary letter contract backup scan meeting travel order design logo minutes payroll Änderung été zażółć отчёт 請求書 😀'.split(
    ' ',
  );

/** A tree of `count` empty files like a shared drive: some 40 in a folder, up to 8 deep. Folders come after their parents. */
export function* treeOf(count: number): Generator<Folder, void, void> {
  const random = createRandom(SEED);
  const folders: { path: string; depth: number }[] = [{ path: '', depth: 0 }];
  for (let made = 0, n = 0; made < count; n += 1) {
    const folder = n === 0 ? { path: '', depth: 0 } : below(random.pick(folders), n, random);
    if (n > 0 && folder.depth < DEEPEST) folders.push(folder);
    const files = Array.from({ length: Math.min(1 + random.integer(2 * FILES_IN_A_FOLDER), count - made) }, (_, at) => fileName(at, random));
    made += files.length;
    yield { path: folder.path, files };
  }
}

function below(parent: { path: string; depth: number }, n: number, random: Random): { path: string; depth: number } {
  const word = random.number() < 4 * MATCHES ? QUERIES.files : random.pick(WORDS);
  return { path: path.join(parent.path, `${word}-${n.toString(36)}`), depth: parent.depth + 1 };
}

function fileName(at: number, random: Random): string {
  const word = random.number() < MATCHES ? QUERIES.files : random.pick(WORDS);
  return `${random.pick(WORDS)} ${word}-${at.toString(36)}${random.integer(1000)}.${random.pick(EXTENSIONS)}`;
}

/** Puts the tree on the disk. Each folder of a hundred also has a symbolic link that would match. */
export function writeTree(root: string, count: number): void {
  let n = 0;
  for (const folder of treeOf(count)) {
    const directory = path.join(root, folder.path);
    mkdirSync(directory, { recursive: true });
    for (const file of folder.files) closeSync(openSync(path.join(directory, file), 'wx'));
    if (n % 100 === 0) symlinkSync('.', path.join(directory, `${QUERIES.files}.link`));
    n += 1;
  }
}
