import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config/package.ts';

/** A committed file that is made from others. */
export interface GeneratedFile {
  /** Relative to the package root. */
  readonly path: string;
  readonly content: string;
}

/** What is wrong with the committed copies, one sentence per file; empty when all are equal. */
export function driftOf(files: readonly GeneratedFile[], command: string, root = packageRoot()): string[] {
  return files.filter(({ path: name, content }) => read(path.join(root, name)) !== content).map(({ path: name }) => `${name} is out of date: ${command}`);
}

/** Writes what differs; answers the names that were written. */
export function writeGenerated(files: readonly GeneratedFile[], root = packageRoot()): string[] {
  const changed = files.filter(({ path: name, content }) => read(path.join(root, name)) !== content);
  for (const { path: name, content } of changed) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  return changed.map(({ path: name }) => name);
}

function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
