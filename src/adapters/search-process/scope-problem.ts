import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { SearchScope } from '../../core/ports/index.ts';

/** How long a mail server may take to let us in. */
const PATIENCE_MS = 5_000;

type Wanted = 'directory' | 'file';

/** O_NONBLOCK: a FIFO is not waited for. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Why a scope cannot be searched now; undefined when it can be opened. Whether its content is sound only a search shows. */
export async function problemOf(scope: SearchScope): Promise<string | undefined> {
  switch (scope.kind) {
    case 'files':
      return opens(scope.path, 'directory', constants.O_NOFOLLOW);
    case 'datasets':
      return opens(scope.path, 'file', constants.O_NOFOLLOW);
    case 'emails':
      return scope.store === 'imap' ? (await import('../imap/probe.ts')).probeMailbox(scope, PATIENCE_MS) : MAIL[scope.store](scope.path);
  }
}

/** Mail readers let the place of a mailbox be a link; what lies in it must be what it is. */
const MAIL = {
  mbox: (place: string) => opens(place, 'file'),
  eml: (place: string) => opens(place, 'directory'),
  maildir: async (place: string) => (await opens(place, 'directory')) ?? (await folder(place, 'new')) ?? folder(place, 'cur'),
};

async function folder(maildir: string, name: string): Promise<string | undefined> {
  const problem = await opens(path.join(maildir, name), 'directory', constants.O_NOFOLLOW);
  return problem && `its folder ${name} ${problem}`;
}

async function opens(place: string, wanted: Wanted, flags = 0): Promise<string | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(place, READ | flags);
    const stats = await handle.stat();
    return (wanted === 'file' ? stats.isFile() : stats.isDirectory()) ? undefined : `is no ${wanted === 'file' ? 'regular file' : 'directory'}`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    return WHY.get(code) ?? `cannot be opened (${code})`;
  } finally {
    await handle?.close();
  }
}

const WHY: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist'],
  ['EACCES', 'may not be read by this account'],
  ['EPERM', 'may not be read by this account'],
  ['ELOOP', 'is a symbolic link'],
]);
