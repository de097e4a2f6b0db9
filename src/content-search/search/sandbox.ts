import { isReservedName } from '../../contracts/index.ts';
import type { SearchTree, TreeTarget } from '../../core/ports/index.ts';
import { type DenyRules, isDenied } from '../enumerate/denied.ts';
import { isBeneath, isInside } from './beneath.ts';
import { accepted, badArgs, executionFailed, type Judged } from './judged.ts';
import { type LexicalPath, lexicalPath, type PathPlatform } from './sandbox-path.ts';

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

/** The place that a request names, as it really lies. */
export interface SearchPlace {
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
export function locate(path: string, sandbox: Sandbox, tree: SearchTree): Judged<SearchPlace> {
  const lexical = lexicalPath(path, sandbox.workingDirectory, sandbox.platform);
  if (!lexical.ok) return lexical;
  if (lexical.value.absolute && !sandbox.allowAbsolute) return badArgs('path', 'must not be absolute');
  const { target, refused } = resolveFully(lexical.value.path, tree);
  if (!isInside(target.realPath, sandbox.allowedRoots)) return badArgs('path', 'lies outside of the allowed roots');
  if (isHidden(lexical.value, target, sandbox)) return missing(path);
  // Not even the reason is told: it may be one of a place outside that a link leads to.
  if (refused) return missing(path);
  if (target.kind === 'other') return executionFailed('path', `is neither a file nor a directory: ${JSON.stringify(path)}`);
  return accepted({ realPath: target.realPath, kind: target.kind, absolute: lexical.value.absolute });
}

function missing(path: string): Judged<never> {
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
