import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { withFileLock } from '../adapters/files/file-lock.ts';
import { makeDirectory } from '../adapters/files/make-directory.ts';
import { replaceFile } from '../adapters/files/replace-file.ts';
import { isWritError, messageOf, WritError } from '../core/errors.ts';
import { EMPTY_SHELF, MAX_HISTORY, MAX_RECIPES, type Shelf, type ShelfStore } from '../core/ports/screen-shelf.ts';

const Time = z.number().min(0);
const Link = z.string().max(16_384);
const ShelfFile = z.object({
  v: z.literal(1),
  recipes: z
    .array(z.object({ name: z.string().min(1).max(256), link: Link, pinned: z.boolean(), uses: z.int().min(0), created: Time, updated: Time }))
    .max(MAX_RECIPES),
  history: z.array(z.object({ link: Link, results: z.int().min(0), at: Time })).max(MAX_HISTORY),
});

/**
 * What the screen keeps, in a file (0600) of its own that is replaced as a whole: the database of messages has one writer,
 * and a person's recipes are no messages. Screens take turns by `<file>.lock`. A file that cannot be read is never written over.
 */
export function createScreenShelf(file: string): ShelfStore {
  return {
    read: () => read(file),
    async change(change) {
      try {
        makeDirectory(path.dirname(file));
        return await withFileLock(file, async () => {
          const next = change(await read(file));
          if (next !== undefined) await replaceFile(file, `${JSON.stringify({ v: 1, ...next })}\n`);
          return next;
        });
      } catch (error) {
        if (isWritError(error)) throw error;
        throw new WritError('STORAGE_UNAVAILABLE', `${file} cannot be written: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}

async function read(file: string): Promise<Shelf> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY_SHELF;
    throw new WritError('STORAGE_UNAVAILABLE', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  try {
    const { recipes, history } = ShelfFile.parse(JSON.parse(text));
    return { recipes, history };
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', `${file} is damaged; put it aside to begin anew`, { cause: error });
  }
}
