import { isUtf8 } from 'node:buffer';
import type { BytePath, SegmentName } from '../../../core/ports/index.ts';
import { DOCUMENT_FLAG, isSpecial, type SegmentDocument, SPECIAL_LIST } from '../segment/format.ts';
import { bytePath, comparePaths } from '../segment/path-order.ts';
import type { SegmentReader } from '../segment/reader.ts';
import { hasBit } from './bitmap.ts';
import { guarded } from './refusal.ts';
import type { Snapshot, SnapshotSegment } from './snapshot.ts';

/** More would say no more. */
const MAX_FINDINGS = 100;

/**
 * Proves a snapshot sound by reading all of it: every block and list has its checksum and is found where its index says,
 * documents and n-grams are in order and each there once, special lists tell what the flags tell, counts are right, and
 * exactly those documents are hidden that a later segment has.
 *
 * @param stop asked every now and then; may take its time
 * @returns what is wrong, a sentence each; undefined when it was stopped
 */
export function checkSnapshot(snapshot: Snapshot, stop: () => boolean): readonly string[] | undefined {
  const findings: string[] = [];
  let steps = 0;
  const mustStop = (): boolean => steps++ % STEPS_AT_ONCE === 0 && stop();
  // Newest first: what is hidden is what a later one has.
  const later = new Set<BytePath>();
  for (const segment of snapshot.segments.toReversed()) {
    const note = (what: string): void => {
      if (findings.length < MAX_FINDINGS) findings.push(`${nameOf(segment.name)}: ${what}`);
    };
    const read = guarded(() => checkCatalog(segment, later, note, mustStop) && checkDictionary(segment.reader, note, mustStop));
    if (!read.ok) note(read.message);
    else if (!read.value) return undefined;
  }
  return findings;
}

const STEPS_AT_ONCE = 1024;

type Note = (what: string) => void;

function nameOf({ generation, delta }: SegmentName): string {
  return delta === 0 ? `base of generation ${generation}` : `delta ${delta} of generation ${generation}`;
}

/** @returns whether it came to the end */
function checkCatalog({ reader, hidden, dead, name }: SnapshotSegment, later: Set<BytePath>, note: Note, mustStop: () => boolean): boolean {
  const special: Record<keyof typeof SPECIAL_LIST, number[]> = { gone: [], always: [] };
  let [id, last] = [0, undefined as Buffer | undefined];
  for (const document of reader.documents()) {
    if (mustStop()) return false;
    const { path, flags } = document;
    const isHidden = later.has(bytePath(path));
    if (last !== undefined && comparePaths(last, path) >= 0) note(`document ${id} does not come behind the one before`);
    for (const what of problemsOf(document)) note(`document ${id} ${what}`);
    if (hasBit(hidden, id) !== isHidden) note(`document ${id} is ${isHidden ? 'not hidden by the one' : 'hidden by none'} of a later segment`);
    if (hasBit(dead, id) !== (isHidden || (flags & DOCUMENT_FLAG.gone) !== 0)) note(`document ${id} is not known to be dead or alive`);
    for (const list of SPECIAL_NAMES) if ((flags & DOCUMENT_FLAG[list]) !== 0) special[list].push(id);
    [id, last] = [id + 1, path];
  }
  if (id !== reader.documentCount) note(`there are ${id} documents in place of ${reader.documentCount}`);
  for (const list of SPECIAL_NAMES)
    if (!isSame(reader.lookUp(SPECIAL_LIST[list])?.documents(), special[list])) note(`the list of those that are "${list}" is another than the flags tell`);
  // Nothing can be hidden by the base.
  if (name.delta !== 0) for (const path of reader.everyPath()) later.add(path);
  return true;
}

const SPECIAL_NAMES = Object.keys(SPECIAL_LIST) as (keyof typeof SPECIAL_LIST)[];
const KNOWN_FLAGS = Object.values(DOCUMENT_FLAG).reduce((all, flag) => all | flag, 0);

function problemsOf({ path, flags }: SegmentDocument): string[] {
  const isPath =
    path.length > 0 &&
    !path.includes(0) &&
    bytePath(path)
      .split('/')
      .every((name) => name !== '' && name !== '.' && name !== '..');
  return [...(isPath ? [] : ['has no path']), ...((flags & ~KNOWN_FLAGS) === 0 ? [] : ['has flags that nobody knows'])];
}

function isSame(list: Uint32Array | undefined, expected: readonly number[]): boolean {
  return (list?.length ?? 0) === expected.length && expected.every((id, at) => list?.[at] === id);
}

/** @returns whether it came to the end */
function checkDictionary(reader: SegmentReader, note: Note, mustStop: () => boolean): boolean {
  let [count, last] = [0, undefined as Buffer | undefined];
  for (const { trigram, posting } of reader.postings()) {
    if (mustStop()) return false;
    if (last !== undefined && Buffer.compare(last, trigram) >= 0) note(`n-gram ${count} does not come behind the one before`);
    if (!isSpecial(trigram) && !isUtf8(trigram)) note(`n-gram ${count} is no text`);
    // Decoding shows that it has as many documents as its entry says, ascending, none beyond the last.
    if (posting.documents().length === 0) note(`n-gram ${count} has no documents`);
    [count, last] = [count + 1, trigram];
  }
  if (count !== reader.trigramCount) note(`there are ${count} n-grams in place of ${reader.trigramCount}`);
  return true;
}
