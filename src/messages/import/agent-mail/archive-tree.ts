import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { MAX_INGEST_BYTES } from '../../../contracts/index.ts';
import { compareCodePoints } from '../../../core/code-points.ts';
import { messageOf, WritError } from '../../../core/errors.ts';

/** A project of an archive: its slug is the name of its folder, whatever its files say. */
export interface ArchivedProject {
  readonly slug: string;
  readonly folder: string;
}

/** Whether a directory looks like an archive, or like one project of it. */
export async function isArchive(place: string): Promise<boolean> {
  return (await foldersBelow(place, 'projects')).length > 0 || (await foldersBelow(place, 'messages')).some(isYear);
}

export async function projectsOf(place: string): Promise<readonly ArchivedProject[]> {
  const slugs = await foldersBelow(place, 'projects');
  if (slugs.length === 0) return [{ slug: path.basename(place), folder: place }];
  return slugs.map((slug) => ({ slug, folder: path.join(place, 'projects', slug) }));
}

/** `messages/2026/11/name.md`, folder by folder in the order of their names. */
export async function* messagesOf(folder: string): AsyncGenerator<string, void, void> {
  for (const year of (await foldersBelow(folder, 'messages')).filter(isYear)) {
    for (const month of await namesIn(path.join(folder, 'messages', year), 'isDirectory')) {
      const place = path.join('messages', year, month);
      for (const file of await namesIn(path.join(folder, place), 'isFile')) if (file.endsWith('.md')) yield path.join(place, file);
    }
  }
}

export async function* profilesOf(folder: string): AsyncGenerator<string, void, void> {
  for (const agent of await foldersBelow(folder, 'agents')) {
    const place = path.join('agents', agent);
    if ((await namesIn(path.join(folder, place), 'isFile')).includes('profile.json')) yield path.join(place, 'profile.json');
  }
}

/** Whether a path is read before another one, or is it. */
export function isUpTo(one: string, other: string): boolean {
  return compareCodePoints(one.replaceAll('/', '\0'), other.replaceAll('/', '\0')) <= 0;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a regular file that is small enough for a job. Throws what is wrong with it. */
export async function textOf(file: string): Promise<string> {
  // A FIFO would wait for its writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error('it is no file');
    if (stat.size > MAX_INGEST_BYTES) throw new Error(`it has more than ${MAX_INGEST_BYTES} bytes`);
    return UTF8.decode(await handle.readFile());
  } finally {
    await handle.close();
  }
}

const isYear = (name: string): boolean => /^\d{4}$/.test(name);

/** None where there is no such folder. */
async function foldersBelow(folder: string, name: string): Promise<readonly string[]> {
  const isThere = (await namesIn(folder, 'isDirectory')).includes(name);
  return isThere ? namesIn(path.join(folder, name), 'isDirectory') : [];
}

/** In the order of code points. What was there a moment ago and is gone is no empty folder: its messages would be deleted. */
async function namesIn(place: string, kind: 'isFile' | 'isDirectory'): Promise<readonly string[]> {
  try {
    const entries = await readdir(place, { withFileTypes: true });
    const wanted = entries.filter((entry) => entry[kind]() && !entry.name.startsWith('.'));
    return wanted.map(({ name }) => name).sort(compareCodePoints);
  } catch (error) {
    throw new WritError('INVALID_ARGUMENT', `${place} cannot be read: ${messageOf(error)}`, { field: 'path', cause: error });
  }
}
