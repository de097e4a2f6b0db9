import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createRandom } from '../random.ts';

/** Files of one directory, and directories of one directory. */
const FILES_OF_DIRECTORY = 250;
const WORDS = 4_000;

/**
 * Plants a tree of many small files: text of words that a tree has everywhere, and of some that only this file has, so that
 * n-grams are as common and as rare as in code. The same seed gives the same tree.
 *
 * @param bytes of each file, about
 * @returns the directories that were made
 */
export function plantManyFiles(root: string, { files, bytes, seed }: { readonly files: number; readonly bytes: number; readonly seed: number }): number {
  const random = createRandom(seed);
  const words = Array.from({ length: WORDS }, () =>
    random
      .integer(36 ** 6)
      .toString(36)
      .slice(0, 2 + random.integer(6)),
  );
  let directory = '';
  let directories = 0;
  for (let at = 0; at < files; at += 1) {
    if (at % FILES_OF_DIRECTORY === 0) {
      const number = at / FILES_OF_DIRECTORY;
      directory = path.join(root, `d${Math.floor(number / FILES_OF_DIRECTORY)}`, `d${number % FILES_OF_DIRECTORY}`);
      mkdirSync(directory, { recursive: true });
      directories += 1;
    }
    let text = `file_${at} = ${at * 7919};\n`;
    // The square makes some words much more common than others.
    while (text.length < bytes) text += `${words[Math.floor(WORDS * (random.integer(1000) / 1000) ** 2)]}${random.chance(0.15) ? ';\n' : ' '}`;
    writeFileSync(path.join(directory, `f${at}.txt`), text);
  }
  return directories;
}
