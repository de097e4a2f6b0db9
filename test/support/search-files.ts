import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Libc, libc } from '../../src/adapters/linux/libc.ts';
import { createTreeSource } from '../../src/adapters/linux/tree/index.ts';
import type { ConfinementLevel } from '../../src/core/ports/confined-fs.ts';
import type { Found } from '../../src/core/ports/search.ts';
import { createFilesScan } from '../../src/executors/search/files/scan.ts';
import { makeOnSecondFilesystem } from './mounts.ts';

const PREFIX = 'writ-search-files-';

/** Both ways of staying below a root. */
export const LEVELS = ['openat2', 'walk'] satisfies ConfinementLevel[];

/** A tree to search, with a directory beside it that no search may ever see. */
export interface FilesRig {
  readonly root: string;
  readonly outside: string;
  /** Path of something below the root; its directory is made. */
  at(relative: string): string;
  close(): void;
}

/** `memory`: on a file system that no disk slows down, for trees of thousands of directories and renames. */
export function createFilesRig(where: 'disk' | 'memory' = 'disk'): FilesRig {
  const base = where === 'disk' ? mkdtempSync(path.join(tmpdir(), PREFIX)) : makeOnSecondFilesystem(PREFIX);
  const [root, outside] = [path.join(base, 'root'), path.join(base, 'outside')];
  mkdirSync(root);
  mkdirSync(outside);
  return {
    root,
    outside,
    at(relative) {
      const place = path.join(root, relative);
      mkdirSync(path.dirname(place), { recursive: true });
      return place;
    },
    close: () => rmSync(base, { recursive: true }),
  };
}

/** Searches a directory as the product does; `calls` stand before the ones of the C library. */
export function searchFiles(level: ConfinementLevel, root: string, query: string, maxResults = 1000, calls: Partial<Libc> = {}): Promise<Found> {
  const scan = createFilesScan(createTreeSource({ level, libc: { ...libc(), ...calls } }));
  return scan({ kind: 'files', path: root }, { query, maxResults });
}

export async function idsOf(found: Promise<Found>): Promise<string[]> {
  return (await found).hits.map(({ id }) => id);
}
