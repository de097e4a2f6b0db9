import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A TypeScript source of the product, or a unit test. */
export interface Source {
  /** From the package root, with `/`. */
  readonly file: string;
  readonly text: string;
}

const PRODUCT = ['src', 'queues', 'processors', 'config'];

/** All sources of the product, by path. */
export function productSources(root: string): Source[] {
  return PRODUCT.flatMap((folder) => sourcesIn(root, folder));
}

/** All files of unit tests that vitest runs. */
export function unitTests(root: string): Source[] {
  return sourcesIn(root, 'test/unit').filter(({ file }) => file.endsWith('.test.ts'));
}

/** Everything under `test/`. */
export function testSources(root: string): Source[] {
  return sourcesIn(root, 'test');
}

function sourcesIn(root: string, folder: string): Source[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => path.posix.join(folder, name))
    .sort()
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
}
