import { accepted, badArgs, type Judged } from './judged.ts';

/** Whose rules of names hold; injected, so that the rules of Windows are tested everywhere. */
export type PathPlatform = 'posix' | 'windows';

export interface LexicalPath {
  /** Absolute, with `/`, without `.`, without a trailing `/` except for roots. */
  readonly path: string;
  /** Whether the request's path was absolute. */
  readonly absolute: boolean;
}

/**
 * The lexical half of NormalizePathForKey (local-search-index.md Appendix C, steps 1, 2 and 4 to 7): separators, `.`, `..`,
 * drive letters. The other half, canonicalization, is `sandbox.ts`. Refuses `..` wherever it stands, before anything is
 * resolved; on Windows also devices, drive-relative paths and streams.
 *
 * @param workingDirectory absolute, with `/`
 */
export function lexicalPath(path: string, workingDirectory: string, platform: PathPlatform): Judged<LexicalPath> {
  const slashed = SEPARATORS[platform](path);
  const problem = PROBLEMS[platform](slashed);
  if (problem !== undefined) return badArgs('path', problem);
  if (slashed.split('/').includes('..')) return badArgs('path', 'must not contain ".."');
  const root = rootOf(slashed, platform);
  return accepted({ path: collapse(root === undefined ? `${workingDirectory}/${slashed}` : slashed, platform), absolute: root !== undefined });
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
