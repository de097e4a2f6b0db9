import { lexicalPath, type PathPlatform } from '../../search/sandbox.ts';

/** What a host says about itself; injected, so that every system's rules are tested everywhere. */
export interface CachePlatform {
  readonly os: 'linux' | 'darwin' | 'win32';
  /** `HOME`, `XDG_CACHE_HOME`, `LOCALAPPDATA`, `TMPDIR`, `TEMP`, `TMP`; nothing else is read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `undefined` where users have no number. */
  readonly uid: number | undefined;
}

export interface CacheRootOptions {
  /** `index_storage`. */
  readonly storage: 'sqlite' | 'memory';
  /** `index_path`; empty for the default. */
  readonly indexPath: string;
  readonly platform: CachePlatform;
  /** Real paths of everything that is searched. */
  readonly searchedTrees: readonly string[];
  /** Whether the deny patterns cover this path. */
  readonly denied: (path: string) => boolean;
  /** The path with every link on its way resolved, as far as it exists. */
  readonly real: (path: string) => string;
  /** Makes the directory for this user alone, or says why not. */
  readonly prepare: (path: string) => 'ready' | 'PERMISSION_DENIED' | 'NOT_PRIVATE' | 'NOT_A_DIRECTORY';
  /** `index_allow_insecure_persistence`. */
  readonly allowInsecure: boolean;
}

/** Why indexes are kept in memory although SQLite was asked for (`stats.storage_fallback_reason`). */
export type StorageFallback = 'NOT_ABSOLUTE' | 'INSIDE_SEARCHED_TREE' | 'DENIED_BY_POLICY' | 'PERMISSION_DENIED' | 'NOT_PRIVATE' | 'NOT_A_DIRECTORY';

export type Storage =
  | { readonly mode: 'sqlite'; readonly directory: string; readonly insecure: boolean }
  | { readonly mode: 'memory'; readonly fallback: StorageFallback | null; readonly directory: string | null }
  /** No cache directory can be determined: trigger PERSISTENCE_NOT_PERMITTED. */
  | { readonly mode: 'none' };

/**
 * Where and how indexes are kept (local-search-index.md 5.3.1, 5.3.2): the selected cache root, if it is valid; else memory
 * with the reason; nothing only if there is no directory to select.
 */
export function chooseStorage(options: CacheRootOptions): Storage {
  if (options.storage === 'memory') return { mode: 'memory', fallback: null, directory: null };
  const candidate = cacheRootCandidate(options.indexPath, options.platform);
  if (candidate === undefined) return { mode: 'none' };
  const directory = absolutePath(candidate, options.platform);
  if (directory === undefined) return { mode: 'memory', fallback: 'NOT_ABSOLUTE', directory: candidate };
  const fallback = problemOf(directory, options);
  if (fallback === undefined) return { mode: 'sqlite', directory, insecure: false };
  if (fallback === 'NOT_PRIVATE' && options.allowInsecure) return { mode: 'sqlite', directory, insecure: true };
  return { mode: 'memory', fallback, directory };
}

/** FR-LSI-CACHE-ROOT-01. @returns as the settings or the environment have it; `undefined` when nothing can be determined */
export function cacheRootCandidate(indexPath: string, platform: CachePlatform): string | undefined {
  return indexPath === '' ? (DEFAULTS[platform.os](platform) ?? temporary(platform)) : indexPath;
}

const FOLDER = 'writ/search-index';

/** The user's cache directory of each system. Empty and relative values are as good as none. */
const DEFAULTS = {
  linux: (platform) => below(absolute(platform, 'XDG_CACHE_HOME'), FOLDER) ?? below(absolute(platform, 'HOME'), `.cache/${FOLDER}`),
  darwin: (platform) => below(absolute(platform, 'HOME'), `Library/Caches/${FOLDER}`),
  win32: (platform) => below(absolute(platform, 'LOCALAPPDATA'), FOLDER),
} satisfies Record<CachePlatform['os'], (platform: CachePlatform) => string | undefined>;

function temporary(platform: CachePlatform): string | undefined {
  const name = platform.uid === undefined ? 'writ-search' : `writ-search-${platform.uid}`;
  if (platform.os === 'win32') return below(absolute(platform, 'TEMP') ?? absolute(platform, 'TMP'), name);
  return below(absolute(platform, 'TMPDIR') ?? '/tmp', name);
}

function absolute(platform: CachePlatform, variable: string): string | undefined {
  return absolutePath(platform.env[variable] ?? '', platform);
}

/** As keys are written: with `/`, without `.` and a trailing `/`; `undefined` for what is relative or goes up. */
function absolutePath(path: string, { os }: CachePlatform): string | undefined {
  const names: PathPlatform = os === 'win32' ? 'windows' : 'posix';
  const judged = lexicalPath(path, '/', names);
  return judged.ok && judged.value.absolute ? judged.value.path : undefined;
}

function below(directory: string | undefined, name: string): string | undefined {
  return directory === undefined ? undefined : `${directory}/${name}`;
}

/** FR-LSI-CACHE-ROOT-02, in its order: nothing is made where nothing may be. */
function problemOf(directory: string, options: CacheRootOptions): StorageFallback | undefined {
  const { platform, searchedTrees, denied, real, prepare } = options;
  const path = real(directory);
  if (searchedTrees.some((tree) => contains(tree, path, platform))) return 'INSIDE_SEARCHED_TREE';
  if (denied(directory) || denied(path)) return 'DENIED_BY_POLICY';
  const answer = prepare(directory);
  return answer === 'ready' ? undefined : answer;
}

/** Whether `path` is the tree or lies in it. Where names differ by case only by rare choice, case is not regarded. */
function contains(tree: string, path: string, platform: CachePlatform): boolean {
  const fold = (text: string): string => (platform.os === 'linux' ? text : text.normalize('NFC').toLowerCase());
  const [top, inner] = [tree, path].map((one) => `${fold(absolutePath(one, platform) ?? one).replace(/\/$/, '')}/`);
  return top !== undefined && inner?.startsWith(top) === true;
}
