import type { SearchTree } from '../../core/ports/index.ts';
import { isBeneath, isInside } from './beneath.ts';
import { accepted, executionFailed, type Judged } from './judged.ts';
import type { Sandbox, SearchPlace } from './sandbox.ts';

/** Where paths of events begin, and where the search begins beneath it. */
export interface OrderRoot {
  /** Canonical and absolute. */
  readonly directory: string;
  /** Relative to the directory, with `/`; empty for the directory itself. Bytes where they are not UTF-8. */
  readonly start: string | Buffer;
  readonly startKind: SearchPlace['kind'];
}

/**
 * Selects the order root (local-search-index.md 3.4), without looking at any index: the deepest configured index root that
 * contains the path; else for a relative path the working directory, for an absolute one its directory. A relative path that leads through a link to another allowed root lies
 * nowhere beneath the working directory, and is taken as if it had been given as the absolute path that it is.
 */
export function selectOrderRoot(place: SearchPlace, sandbox: Sandbox, tree: SearchTree): Judged<OrderRoot> {
  const directory = rootOf(place, sandbox, tree);
  const text = directory.toString();
  if (!Buffer.from(text).equals(directory)) return executionFailed('path', 'lies in a directory whose name is not UTF-8');
  return accepted({ directory: text, start: textOf(startBeneath(place.realPath, directory)), startKind: place.kind });
}

function rootOf(place: SearchPlace, { workingDirectory, allowedRoots, indexRoots }: Sandbox, tree: SearchTree): Buffer {
  const indexRoot = deepest(indexRoots, place.realPath);
  if (indexRoot !== undefined) return Buffer.from(indexRoot);
  if (place.absolute) return directoryOf(place);
  const target = tree.resolve(workingDirectory);
  // The working directory may have become a link since the settings were read.
  const usable = !('refused' in target) && isInside(target.realPath, allowedRoots) && isBeneath(place.realPath, target.realPath);
  return usable ? target.realPath : directoryOf(place);
}

/** FR-LSI-IDX-ROOT-02: of several roots that contain the path, the one that lies deepest. */
function deepest(roots: readonly string[], realPath: Buffer): string | undefined {
  return roots.filter((root) => isBeneath(realPath, Buffer.from(root))).sort((a, b) => b.length - a.length)[0];
}

function directoryOf({ realPath, kind }: SearchPlace): Buffer {
  return kind === 'directory' ? realPath : realPath.subarray(0, Math.max(1, realPath.lastIndexOf('/')));
}

function startBeneath(realPath: Buffer, directory: Buffer): Buffer {
  const start = realPath.subarray(directory.length);
  return start.at(0) === SLASH ? start.subarray(1) : start;
}

const SLASH = 0x2f;

function textOf(bytes: Buffer): string | Buffer {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : bytes;
}
