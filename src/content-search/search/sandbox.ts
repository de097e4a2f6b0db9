import { isReservedName } from '../../contracts/index.ts';
import type { SearchTree, TreeTarget } from '../../core/ports/index.ts';
import { ok } from '../../core/result.ts';
import { type DenyRules, isDenied } from '../enumerate/denied.ts';
import { isBeneath, isInside } from './beneath.ts';
import { badArgs, executionFailed, type RequestResult } from './judged.ts';

/** What may not be read whoever asks: keys and passwords (local-search-index.md 12.1). */
export const DEFAULT_DENIED_PATTERNS = ['**/.ssh/**', '**/.gnupg/**', '**/id_rsa*', '**/*.pem', '**/*.key', '/etc/shadow*', '/etc/gshadow*'] as const;

/** Where a search may look (local-search-index.md 12.1). Paths are absolute, with `/`, without links. */
export interface Sandbox {
  readonly allowedRoots: readonly string[];
  /** What a relative path is relative to; lies in one of the roots. */
  readonly workingDirectory: string;
  /** `index_roots` as configured, canonical; the deepest one that contains a request is its order root, with an index or without. */
  readonly indexRoots: readonly string[];
  /** Whether a request may name an absolute path (inside of the roots all the same). */
  readonly allowAbsolute: boolean;
  readonly denied: DenyRules;
  readonly platform: PathPlatform;
}

/** The path that a request names, as it really lies. */
interface LocatedPath {
  /** Canonical: no link is left in it. */
  readonly realPath: Buffer;
  readonly kind: 'file' | 'directory';
  readonly absolute: boolean;
}

/**
 * The canonical half of NormalizePathForKey and the rules of the sandbox (Appendix C, steps 2 and 3; SEC-LSI-01).
 * Links in the path are followed, and where they lead is judged like a path that was written out.
 *
 * @returns the place; `BadArgs` for what no sandbox would take and for places outside of the roots (whether they exist or
 *   not); `ExecutionFailed` for what is not there, cannot be read, or is denied, which looks as if it were not there
 */
export function locate(path: string, sandbox: Sandbox, tree: SearchTree): RequestResult<LocatedPath> {
  const lexical = lexicalPath(path, sandbox.workingDirectory, sandbox.platform);
  if (!lexical.ok) return lexical;
  if (lexical.value.absolute && !sandbox.allowAbsolute) return badArgs('path', 'must not be absolute');
  const { target, refused } = resolveFully(lexical.value.path, tree);
  if (!isInside(target.realPath, sandbox.allowedRoots)) return badArgs('path', 'lies outside of the allowed roots');
  if (isHidden(lexical.value, target, sandbox)) return missing(path);
  // Not even the reason is told: it may be one of a place outside that a link leads to.
  if (refused) return missing(path);
  if (target.kind === 'other') return executionFailed('path', `is neither a file nor a directory: ${JSON.stringify(path)}`);
  return ok({ realPath: target.realPath, kind: target.kind, absolute: lexical.value.absolute });
}

function missing(path: string): RequestResult<never> {
  return executionFailed('path', `No such file or directory: ${JSON.stringify(path)}`);
}

/** Reserved and denied names are not there: neither as they are written, nor where their links lead. */
function isHidden(lexical: LexicalPath, { realPath, kind }: TreeTarget, { denied, workingDirectory, allowedRoots }: Sandbox): boolean {
  const real = realPath.toString();
  const named = [beneath(lexical.path, [workingDirectory, ...allowedRoots]), beneath(real, allowedRoots)].flatMap((path) => path.split('/'));
  return named.some(isReservedName) || [lexical.path, real].some((path) => isDenied(denied, path, kind === 'directory'));
}

/** The part of a path beneath the deepest of these directories; nothing, if it lies beneath none. */
function beneath(path: string, directories: readonly string[]): string {
  const above = directories.filter((directory) => isBeneath(Buffer.from(path), Buffer.from(directory)));
  return above.length === 0 ? '' : path.slice(Math.max(...above.map(({ length }) => length)));
}

interface Resolved {
  /** Where the path leads; for a path that cannot be resolved, where it would lie. */
  readonly target: TreeTarget;
  readonly refused: boolean;
}

/**
 * Resolves a path; of one that cannot be resolved, the deepest part that can, with the rest appended. So a place is inside
 * or outside before it is there or not, and a refusal tells nothing about what lies outside.
 */
function resolveFully(path: string, tree: SearchTree): Resolved {
  const target = tree.resolve(path);
  if (!('refused' in target)) return { target, refused: false };
  const cut = path.lastIndexOf('/');
  const parent = path.slice(0, Math.max(cut, 1));
  if (cut < 0 || parent === path) return { target: nowhere(Buffer.from(path)), refused: true };
  const { realPath } = resolveFully(parent, tree).target;
  const slash = realPath.at(-1) === SLASH ? '' : '/';
  return { target: nowhere(Buffer.concat([realPath, Buffer.from(slash + path.slice(cut + 1))])), refused: true };
}

const SLASH = 0x2f;

function nowhere(realPath: Buffer): TreeTarget {
  return { realPath, kind: 'other', dev: 0, ino: 0 };
}

/** Whose rules of names hold; injected, so that the rules of Windows are tested everywhere. */
export type PathPlatform = 'posix' | 'windows';

interface LexicalPath {
  /** Absolute, with `/`, without `.`, without a trailing `/` except for roots. */
  readonly path: string;
  /** Whether the request's path was absolute. */
  readonly absolute: boolean;
}

/**
 * The lexical half of NormalizePathForKey (local-search-index.md Appendix C, steps 1, 2 and 4 to 7): separators, `.`, `..`,
 * drive letters. The other half, canonicalization, is `locate`. Refuses `..` wherever it stands, before anything is
 * resolved; on Windows also devices, drive-relative paths and streams.
 *
 * @param workingDirectory absolute, with `/`
 */
export function lexicalPath(path: string, workingDirectory: string, platform: PathPlatform): RequestResult<LexicalPath> {
  const slashed = SEPARATORS[platform](path);
  const problem = PROBLEMS[platform](slashed);
  if (problem !== undefined) return badArgs('path', problem);
  if (slashed.split('/').includes('..')) return badArgs('path', 'must not contain ".."');
  const root = rootOf(slashed, platform);
  return ok({ path: collapse(root === undefined ? `${workingDirectory}/${slashed}` : slashed, platform), absolute: root !== undefined });
}

/**
 * Writes an absolute path as a key is written: `/`, no `.`, an upper-case drive letter, no trailing `/` except for roots.
 * Changes the text only: `..` stays, and is refused elsewhere.
 */
function collapse(path: string, platform: PathPlatform): string {
  const slashed = SEPARATORS[platform](path);
  const root = rootOf(slashed, platform) ?? '';
  const components = slashed
    .slice(root.length)
    .split('/')
    .filter((component) => component !== '' && component !== '.');
  return (root === '' ? '' : rootKey(root)) + components.join('/');
}

const SEPARATORS = {
  posix: (path) => path,
  windows: (path) => path.replaceAll('\\', '/'),
} satisfies Record<PathPlatform, (path: string) => string>;

const PROBLEMS = {
  posix: () => undefined,
  windows: (path) => {
    if (/^\/\/[?.](?:\/|$)/.test(path)) return 'must not name a device';
    if (/^[A-Za-z]:(?!\/)/.test(path)) return 'must not be relative to the directory of a drive';
    if (/^\/(?!\/)/.test(path)) return 'must not be relative to the current drive';
    return /:/.test(path.replace(/^[A-Za-z]:\//, '')) ? 'must not name a stream of a file' : undefined;
  },
} satisfies Record<PathPlatform, (path: string) => string | undefined>;

/** The root that an absolute path begins with: `/`, `C:/`, `//server/share/`. */
const ROOTS = {
  posix: /^\/+/,
  windows: /^(?:[A-Za-z]:\/+|\/\/[^/]+\/[^/]+(?:\/+|$))/,
} satisfies Record<PathPlatform, RegExp>;

function rootOf(path: string, platform: PathPlatform): string | undefined {
  return ROOTS[platform].exec(path)?.[0];
}

/** A root as keys have it: one `/` at its end, an upper-case drive letter. */
function rootKey(root: string): string {
  return root.replace(/\/*$/, '/').replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}

/** Where paths of events begin, and where the search begins beneath it. */
export interface OrderRoot {
  /** Canonical and absolute. */
  readonly directory: string;
  /** Relative to the directory, with `/`; empty for the directory itself. Bytes where they are not UTF-8. */
  readonly start: string | Buffer;
  readonly startKind: LocatedPath['kind'];
}

/**
 * Selects the order root (local-search-index.md 3.4), without looking at any index: the deepest configured index root that
 * contains the path; else for a relative path the working directory, for an absolute one its directory. A relative path
 * that leads through a link to another allowed root lies nowhere beneath the working directory, and is taken as if it had been given as the absolute path that it is.
 */
export function selectOrderRoot(located: LocatedPath, sandbox: Sandbox, tree: SearchTree): RequestResult<OrderRoot> {
  const directory = orderDirectory(located, sandbox, tree);
  const text = directory.toString();
  if (!Buffer.from(text).equals(directory)) return executionFailed('path', 'lies in a directory whose name is not UTF-8');
  return ok({ directory: text, start: textOf(startBeneath(located.realPath, directory)), startKind: located.kind });
}

function orderDirectory(located: LocatedPath, { workingDirectory, allowedRoots, indexRoots }: Sandbox, tree: SearchTree): Buffer {
  const indexRoot = deepest(indexRoots, located.realPath);
  if (indexRoot !== undefined) return Buffer.from(indexRoot);
  if (located.absolute) return directoryOf(located);
  const target = tree.resolve(workingDirectory);
  // The working directory may have become a link since the settings were read.
  const usable = !('refused' in target) && isInside(target.realPath, allowedRoots) && isBeneath(located.realPath, target.realPath);
  return usable ? target.realPath : directoryOf(located);
}

/** FR-LSI-IDX-ROOT-02: of several roots that contain the path, the one that lies deepest. */
function deepest(roots: readonly string[], realPath: Buffer): string | undefined {
  return roots.filter((root) => isBeneath(realPath, Buffer.from(root))).sort((a, b) => b.length - a.length)[0];
}

function directoryOf({ realPath, kind }: LocatedPath): Buffer {
  return kind === 'directory' ? realPath : realPath.subarray(0, Math.max(1, realPath.lastIndexOf('/')));
}

function startBeneath(realPath: Buffer, directory: Buffer): Buffer {
  const start = realPath.subarray(directory.length);
  return start.at(0) === SLASH ? start.subarray(1) : start;
}

function textOf(bytes: Buffer): string | Buffer {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : bytes;
}
