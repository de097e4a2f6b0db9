import type { BuildJob, BuildOutcome, OverlayEntry, OverlayPaths, SegmentName } from '../../../core/ports/index.ts';
import { only } from '../../enumerate/only.ts';
import type { Candidate } from '../../search/types.ts';
import { checkSnapshot } from '../query/check.ts';
import { liveDocuments } from '../query/live.ts';
import type { Snapshot } from '../query/snapshot.ts';
import { estimateBytes } from '../safety/limits.ts';
import { DOCUMENT_FLAG, type SegmentDocument } from '../segment/format.ts';
import { regionOf } from './catalogue.ts';
import { type Difference, differences, filesOf } from './differences.ts';
import { limited } from './draft.ts';
import { measureTree, type TreeMeasure } from './measure.ts';
import { mergeSegments } from './merge.ts';
import type { HaltReason } from './pace.ts';
import { isGone, UNKNOWN } from './read-document.ts';
import { isSameFile } from './same-file.ts';
import { type JobLimits, type JobRun, pacedFiles, walkOf } from './site.ts';
import { absolutePath, bytesOf } from './tree-paths.ts';
import { writeFiles } from './write-files.ts';

/**
 * Reads the whole tree (FR-LSI-BG-20): counts it, and goes on only if there is room for what it will give (search-rules 17);
 * documents get their numbers in key order, which is the order of the walk. Two walks, because the names of a million files
 * would not fit into the memory that a build has. When its time is over, or when it is asked to stop, it writes a segment of
 * what it has read ('partial', FR-LSI-BG-40, BUD-INIT-02).
 *
 * @param begun the segment of an earlier build that was stopped: its files may have changed since, so each is looked at again
 * @throws Halted, CorruptSegment, or what the disk refuses
 */
export function buildWhole(run: JobRun, { into, keepOnStop = false }: Extract<BuildJob, { kind: 'build' }>, begun?: Snapshot): BuildOutcome {
  const measure = measureTree(run, () => false);
  const why = excessOf(measure, run.limits);
  if (why !== undefined) return { outcome: 'over-budget', why, files: measure.files, bytes: measure.bytes };
  const walk = walkOf(run);
  const told = { files: 0, bytes: 0 };
  const files = pacedFiles(run, walk, 'TOKENIZE', measure.files, () => told.bytes);
  const found = begun === undefined ? allOf(files) : differences(files, documentsOf(begun), unchanged(run));
  const isKept = (halt: HaltReason): boolean => halt === 'TIME' || (halt === 'STOPPED' && keepOnStop);
  return writeFiles(run, { into, found, walk, isKept, told });
}

function* allOf(files: Iterable<Candidate>): Generator<Difference> {
  for (const candidate of files) yield { kind: 'read', candidate, known: false };
}

type Excess = 'FILES' | 'BYTES' | 'DISK';

/** Limits of a build, in the order in which they are checked. */
const EXCESS = {
  FILES: ({ files }, { maxFiles }) => maxFiles > 0 && files > maxFiles,
  BYTES: ({ bytes }, { maxBytes }) => maxBytes > 0 && bytes > maxBytes,
  DISK: ({ eligibleBytes }, { roomBytes, lastRatio }) => estimateBytes(eligibleBytes, lastRatio ?? undefined) > roomBytes,
} satisfies Record<Excess, (measure: TreeMeasure, limits: JobLimits) => boolean>;

const EXCESSES = ['FILES', 'BYTES', 'DISK'] as const satisfies readonly Excess[];

const excessOf = (measure: TreeMeasure, limits: JobLimits): Excess | undefined => EXCESSES.find((name) => EXCESS[name](measure, limits));

/** The share of files that differ above which a build is better: it costs little more, and leaves no delta. */
const REBUILD_SHARE = 0.2;
/** The number of differing files up to which there is never a build. */
const REBUILD_FILES = 64;

/**
 * Brings an index of unknown age up to date: compares every file of the tree with what the index has of it (FR-LSI-BG-50),
 * then writes one segment of the differences. The catalog and the walk have the same order, so only differences are held.
 *
 * @throws Halted, CorruptSegment, or what the disk refuses
 */
export function validateAgainst(run: JobRun, snapshot: Snapshot, into: SegmentName): BuildOutcome {
  const most = Math.max(REBUILD_FILES, Math.floor(snapshot.live * REBUILD_SHARE));
  const walk = walkOf(run);
  const files = pacedFiles(run, walk, 'ENUMERATE', snapshot.live, () => 0);
  const found: Difference[] = [];
  for (const difference of differences(files, documentsOf(snapshot), unchanged(run))) {
    found.push(difference);
    if (found.length > most) return { outcome: 'rebuild' };
  }
  return writeFiles(run, { into, found, walk });
}

/**
 * Writes one segment of the paths in the overlay (FR-LSI-TRK-05): walks these paths only, reads every file of them again,
 * whatever its times say, and hides what the index has there and the walk does not.
 *
 * @throws Halted, CorruptSegment, or what the disk refuses
 */
export function updateFrom(run: JobRun, snapshot: Snapshot, entries: readonly OverlayEntry[], into: SegmentName): BuildOutcome {
  const { tree, indexed } = run.site;
  const region = regionOf(entries);
  const walk = walkOf(run, only(tree, indexed.root, overlayOf(entries)));
  const found = differences(inside(filesOf(walk), region), region.documents(snapshot.segments.map(({ reader }) => reader)), () => false);
  return writeFiles(run, { into, found, walk });
}

function overlayOf(entries: readonly OverlayEntry[]): OverlayPaths {
  const pathsOf = (wanted: OverlayEntry['kind']): readonly string[] => entries.filter(({ kind }) => kind === wanted).map(({ path }) => path);
  return { files: pathsOf('FILE'), subtrees: pathsOf('SUBTREE') };
}

/** The files within the region: the walk also lists the ignore files on its way. */
function* inside(files: ReturnType<typeof filesOf>, region: ReturnType<typeof regionOf>): ReturnType<typeof filesOf> {
  for (const candidate of files) if (region.has(bytesOf(candidate))) yield candidate;
}

/** Merges the segments from a place on to the newest into one. @throws Halted, CorruptSegment, or what the disk refuses */
export function mergeFrom({ site, limits, pace }: JobRun, snapshot: Snapshot, from: number, into: SegmentName): BuildOutcome {
  const which = [...snapshot.segments.keys()].slice(from);
  const { index, keyHash, hasher } = site;
  const writer = index.create(into);
  let isWhole = false;
  try {
    const sink = limited(writer, limits.roomBytes);
    const merged = mergeSegments(snapshot, which, { name: into, keyHash, sink }, hasher, () => {
      pace.step();
      return false;
    });
    if (merged.outcome === 'stopped') return merged;
    writer.finish();
    isWhole = true;
    return { ...merged, read: 0, readBytes: 0, hiding: 0 };
  } finally {
    if (!isWhole) writer.discard();
  }
}

/** Checks all of a snapshot. @throws Halted, or what the disk refuses */
export function checkWhole({ pace }: JobRun, snapshot: Snapshot): BuildOutcome {
  const findings = checkSnapshot(snapshot, () => {
    pace.step();
    return false;
  });
  return findings === undefined ? { outcome: 'stopped' } : { outcome: 'checked', findings };
}

/** What searches find in a snapshot, in key order. */
function* documentsOf(snapshot: Snapshot): Generator<SegmentDocument> {
  for (const { document } of liveDocuments(snapshot)) yield document;
}

/** Whether a file of the tree still is what its document was made from. */
function unchanged({ site: { files, indexed } }: JobRun): (candidate: Candidate, document: SegmentDocument) => boolean {
  return (candidate, document) => {
    const stat = files.stat(absolutePath(indexed.root, candidate));
    if (!('refused' in stat)) return isSameFile(stat, document);
    // A file without a stat is the same if it had none before, either; one that is gone shows when it is read.
    return !isGone(stat) && (document.flags & DOCUMENT_FLAG.unreadable) !== 0 && isSameFile(UNKNOWN, document);
  };
}
