import type { SearchTree } from '../../core/ports/index.ts';
import type { Candidate, Enumeration, Warning } from '../search/types.ts';
import type { Directory } from './directory.ts';
import { type Frame, isCandidate, openFrame } from './frame.ts';
import { startOf } from './start.ts';
import { type EnumerateOptions, type Walk, walkOf } from './walk-context.ts';

/**
 * The files that a search looks into, in key order (local-search-index.md 3.1, 18.2), the same for every backend. Reads a
 * directory only when its files are next; holds the names of one directory for each level that it is in.
 *
 * @throws nothing for what the tree can be like: what cannot be read is a warning
 */
export function enumerate(tree: SearchTree, options: EnumerateOptions): Enumeration {
  const warnings: Warning[] = [];
  let found = 0;
  const walk = walkOf(tree, options, warnings, () => found);
  const steps = stepsOf(walk);
  return {
    warnings,
    next(limit) {
      const piece: Candidate[] = [];
      while (piece.length < limit) {
        const candidate = steps();
        if (candidate === undefined) break;
        if (isTooLong(candidate)) {
          walk.warn(candidate.text, 'ENAMETOOLONG');
          continue;
        }
        piece.push(candidate);
        found++;
      }
      return piece;
    },
  };
}

/** Depth first; on a stack of its own, for trees can be deeper than the stack of calls. */
function stepsOf(walk: Walk): () => Candidate | undefined {
  let start: Directory | Candidate | undefined;
  let frames: Frame[] | undefined;
  return () => {
    if (frames === undefined) {
      frames = [];
      start = startOf(walk);
      if (start !== undefined && 'rules' in start) frames.push(openFrame(walk, [start]));
      else return start;
    }
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const step = frame.next();
      if (step === undefined) frames.pop();
      else if (isCandidate(step)) return step;
      else if (walk.isStopped()) frames = [];
      else frames.push(openFrame(walk, step));
    }
    return undefined;
  };
}

/** What a process can open by its path, the `./` in front and the NUL behind it included: Linux's PATH_MAX. */
const PATH_MAX = 4_096;
const AROUND_PATH = 3;
/** UTF-8 bytes of one UTF-16 unit, at most. */
const UNIT_MAX_BYTES = 3;

function isTooLong({ text, raw }: Candidate): boolean {
  if (text.length * UNIT_MAX_BYTES + AROUND_PATH <= PATH_MAX) return false;
  return (raw?.length ?? Buffer.byteLength(text)) + AROUND_PATH > PATH_MAX;
}
