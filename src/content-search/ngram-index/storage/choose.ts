import os from 'node:os';
import path from 'node:path';
import { compileDenied, isDenied } from '../../enumerate/denied.ts';
import type { IndexSettings } from '../../io/settings.ts';
import { realPath } from '../../io/tree/real-path.ts';
import { DEFAULT_DENIED_PATTERNS } from '../../search/sandbox.ts';
import { chooseStorage } from '../safety/cache-root.ts';
import { prepareCacheDirectory } from './sqlite-directory.ts';

/** What the settings say about where indexes are kept. */
export interface StorageRequest {
  readonly storage: 'memory' | 'sqlite';
  /** `index_path`. */
  readonly indexPath: string;
  readonly allowInsecure: boolean;
  readonly allowedRoots: readonly string[];
  readonly deniedPatterns: readonly string[];
  readonly includeDefaultDenies: boolean;
}

/**
 * Where the indexes of this user are kept (local-search-index.md 5.3). Makes the directory. To be asked where the environment
 * of the user is: the processes that search have none, and get the answer.
 *
 * @param env what says where the user's cache directory is
 */
export function indexStorage(
  request: StorageRequest,
  env: Readonly<Record<string, string | undefined>>,
): Pick<IndexSettings, 'cacheRoot' | 'storageMode' | 'storageFallback'> {
  const denied = compileDenied([...(request.includeDefaultDenies ? DEFAULT_DENIED_PATTERNS : []), ...request.deniedPatterns]);
  const chosen = chooseStorage({
    storage: request.storage,
    indexPath: request.indexPath,
    platform: { os: systemOf(process.platform), env, uid: process.getuid?.() },
    searchedTrees: request.allowedRoots.map(realPath),
    denied: (directory) => isDenied(denied, directory, true),
    real: realPath,
    prepare: prepareCacheDirectory,
    allowInsecure: request.allowInsecure,
  });
  if (chosen.mode === 'none') return { cacheRoot: null, storageMode: 'none', storageFallback: null };
  if (chosen.mode === 'sqlite') return { cacheRoot: chosen.directory, storageMode: 'sqlite', storageFallback: null };
  const memory = memoryDirectory();
  return { cacheRoot: memory ?? null, storageMode: memory === undefined ? 'none' : 'memory', storageFallback: chosen.fallback };
}

function systemOf(platform: NodeJS.Platform): 'linux' | 'darwin' | 'win32' {
  return platform === 'win32' || platform === 'darwin' ? platform : 'linux';
}

/** Memory that looks like files, so that searches in other processes can read it. The host clears it when it starts and ends. */
const SHARED_MEMORY = '/dev/shm';

function memoryDirectory(): string | undefined {
  const directory = path.join(SHARED_MEMORY, `writ-search-${os.userInfo().uid}`);
  return prepareCacheDirectory(directory) === 'ready' ? directory : undefined;
}
