import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A file of the tree. */
export interface TreeFile {
  /** Path from the package root. */
  readonly file: string;
  readonly text: string;
}

/** Where pages lie, beside those at the root. */
const PAGE_FOLDERS = ['docs', 'examples', 'src', 'test', 'deploy', 'packages'] as const;
/** What a page may call by its name. */
const PRODUCT = ['src', 'queues', 'processors', 'config'] as const;
/** What may name a page. */
const READERS = [...PRODUCT, 'scripts', 'bench', 'test', 'examples', 'prometheus', 'deploy'] as const;

/** Every page for people; evidence is written by suites and may speak of what it met. */
export function pages(root: string): TreeFile[] {
  const isPage = (name: string): boolean => name.endsWith('.md') && !name.startsWith('evidence/');
  const atRoot = readdirSync(root).filter(isPage);
  return read(root, [...atRoot, ...PAGE_FOLDERS.flatMap((folder) => filesBelow(root, folder, isPage))]);
}

/** Sources of the product, SQL and Lua too. */
export function productFiles(root: string): TreeFile[] {
  return read(
    root,
    PRODUCT.flatMap((folder) => filesBelow(root, folder, (name) => /\.(?:tsx?|sql|lua)$/.test(name))),
  );
}

/** Sources and settings in whose comments a page may be named; the tests of the checks invent pages. */
export function readersOfPages(root: string): TreeFile[] {
  return read(
    root,
    READERS.flatMap((folder) =>
      filesBelow(root, folder, (name) => /\.(?:tsx?|mjs|js|py|sql|lua|toml|ya?ml|conf)$/.test(name) && !name.startsWith('unit/scripts/')),
    ),
  );
}

function filesBelow(root: string, folder: string, wanted: (name: string) => boolean): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(wanted)
    .map((name) => path.posix.join(folder, name))
    .sort();
}

function read(root: string, files: readonly string[]): TreeFile[] {
  return files.map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
}
