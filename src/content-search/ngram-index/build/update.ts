import type { BuildOutcome, OverlayEntry, OverlayPaths, SegmentName } from '../../../core/ports/index.ts';
import { only } from '../../enumerate/only.ts';
import type { Snapshot } from '../query/snapshot.ts';
import { regionOf } from './catalogue.ts';
import { differences, filesOf } from './differences.ts';
import { type JobRun, walkOf } from './site.ts';
import { bytesOf } from './tree-paths.ts';
import { writeFiles } from './write-files.ts';

/**
 * Takes what the overlay names into one segment (FR-LSI-TRK-05): walks these paths only, reads every file of them afresh,
 * whatever its times say, and hides what the index has of them and the walk does not.
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

/** The walk also lists the ignore files on its way. */
function* inside(files: ReturnType<typeof filesOf>, region: ReturnType<typeof regionOf>): ReturnType<typeof filesOf> {
  for (const candidate of files) if (region.has(bytesOf(candidate))) yield candidate;
}
