import type { FileReader, SearchFiles, SearchTree } from '../../core/ports/index.ts';
import { isDenied } from '../enumerate/denied.ts';
import { isInside } from './beneath.ts';
import type { Sandbox } from './sandbox.ts';
import type { Candidate, RunOptions } from './types.ts';

export interface CandidateFilesOptions {
  /** The order root. */
  readonly root: string;
  readonly follow: boolean;
  readonly sandbox: Pick<Sandbox, 'allowedRoots' | 'denied'>;
  readonly tree: SearchTree;
  readonly files: SearchFiles;
  /** Whether the operating system keeps the backends within the allowed roots. */
  readonly confined: boolean;
}

/** How a run gets at its candidates itself: to see why a backend could not, and for names that cannot be arguments. */
export function candidateFiles(
  options: CandidateFilesOptions,
): Pick<RunOptions, 'tryOpen' | 'open' | 'reader' | 'recheck'> & Required<Pick<RunOptions, 'read'>> {
  const opened = (candidate: Candidate): number | string => {
    const place = placeOf(candidate, options);
    if ('refused' in place) return place.refused;
    const fd = options.files.open(place.path);
    return typeof fd === 'number' ? fd : fd.refused;
  };
  const tryOpen = (candidate: Candidate): string | undefined => {
    const place = placeOf(candidate, options);
    if ('refused' in place) return place.refused;
    const kind = options.files.probe(place.path);
    if (typeof kind === 'object') return kind.refused;
    return kind === 'file' ? undefined : 'EISDIR';
  };
  const read = (candidate: Candidate, maxBytes: number): Buffer | undefined => {
    const fd = opened(candidate);
    return typeof fd === 'string' ? undefined : options.files.readAll(fd, maxBytes);
  };
  const reader = (candidate: Candidate): FileReader | undefined => {
    const fd = opened(candidate);
    return typeof fd === 'string' ? undefined : options.files.reader(fd);
  };
  return {
    open: opened,
    tryOpen,
    read,
    reader,
    ...(options.confined ? {} : { recheck: (candidates, when) => new Set(candidates.filter(CHECKS[when](options))) }),
  };
}

/** Where a candidate is opened: a followed link where it leads, everything else where it stands. */
function placeOf(
  candidate: Candidate,
  { root, follow, sandbox, tree, confined }: CandidateFilesOptions,
): { readonly path: Buffer } | { readonly refused: string } {
  const path = absolute(root, candidate.raw ?? Buffer.from(candidate.text));
  if (confined && !follow) return { path };
  const target = tree.resolve(path);
  if ('refused' in target) return target;
  return allowed(target.realPath, path, follow, sandbox) ? { path: target.realPath } : { refused: 'ELOOP' };
}

/** Without links the way must be the one that was walked; with them, it must lead to where a search may look. */
function allowed(realPath: Buffer, path: Buffer, follow: boolean, { allowedRoots, denied }: Pick<Sandbox, 'allowedRoots' | 'denied'>): boolean {
  if (!follow) return realPath.equals(path);
  return isInside(realPath, allowedRoots) && !isDenied(denied, realPath.toString(), false);
}

type Way = (candidate: Candidate) => boolean;

/** Before a chunk the way to each directory is looked at, which is cheap; after it, also the few files that have events. */
const CHECKS = {
  before: ({ root, follow, sandbox, tree }) => {
    const ways = new Map<string, boolean>();
    return (candidate) => {
      const path = absolute(root, candidate.raw ?? Buffer.from(candidate.text));
      const directory = path.subarray(0, Math.max(1, path.lastIndexOf('/')));
      const key = directory.toString('latin1');
      const known = ways.get(key) ?? leads(directory, 'directory', follow, sandbox, tree);
      ways.set(key, known);
      return known;
    };
  },
  after:
    ({ root, follow, sandbox, tree }) =>
    (candidate) =>
      leads(absolute(root, candidate.raw ?? Buffer.from(candidate.text)), 'file', follow, sandbox, tree),
} satisfies Record<'before' | 'after', (options: CandidateFilesOptions) => Way>;

function leads(path: Buffer, kind: 'file' | 'directory', follow: boolean, sandbox: Pick<Sandbox, 'allowedRoots' | 'denied'>, tree: SearchTree): boolean {
  const target = tree.resolve(path);
  return !('refused' in target) && target.kind === kind && allowed(target.realPath, path, follow, sandbox);
}

function absolute(root: string, relative: Buffer): Buffer {
  return Buffer.concat([Buffer.from(root.endsWith('/') ? root : `${root}/`), relative]);
}
