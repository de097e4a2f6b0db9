import type { ContentSearchError } from '../../core/ports/index.ts';
import type { RunEnd, RunEvent, RunResult, Warning } from '../search/types.ts';
import type { Gathering } from './gather.ts';
import type { Judge } from './judge.ts';
import type { Scan } from './scan.ts';
import { byNumber, clipped, type StderrLog } from './tidy.ts';

/** Why a run is over. */
export type Over = 'all' | 'limit' | 'time' | 'error';

/** Everything that a run has when no process of it is left. */
export interface RunFacts {
  readonly over: Over;
  readonly error: ContentSearchError | undefined;
  readonly gathered: Gathering;
  /** Scans that are not wholly part of the answer, in order: the head, of which some files may be, and those behind it. */
  readonly scans: readonly Scan[];
  /** Files of all scans before the head. */
  readonly mergedFiles: number;
  readonly judge: Judge;
  readonly warnings: readonly Warning[];
  /** Events whose text was cut. */
  readonly cut: ReadonlySet<RunEvent>;
  readonly stderr: StderrLog;
  readonly maxEvents: number;
  readonly enumerated: number;
  readonly processes: number;
}

/**
 * What a run answers. When the time was up only files that were finished count, in order from the first on; `truncated` is
 * true then if more was seen, and assumed if the limit was just reached (FR-LSI-TRUNC-01a.4).
 */
export function resultOf(facts: RunFacts): RunResult {
  const { over, gathered, scans, judge, stderr } = facts;
  const head = scans[0];
  const finished = head === undefined ? facts.mergedFiles : head.finishedBefore;
  const beyond = over === 'time' ? (takeUnfinished(gathered, finished) ?? firstWaiting(scans)) : gathered.beyond;
  const { events } = gathered;
  const complaints = head === undefined ? [] : judge.complaints(head, over === 'limit' ? (beyond?.file ?? 0) + 1 : finished);
  for (const scan of scans) stderr.add(scan.end?.stderr ?? '');
  const isFull = over === 'time' && events.length >= facts.maxEvents;
  return {
    end: endOf(over, events),
    events,
    truncated: over === 'limit' || (over === 'time' && (beyond !== undefined || isFull)),
    truncationAssumed: isFull && beyond === undefined,
    timedOut: over === 'time',
    warnings: clipped([...facts.warnings, ...complaints].sort(byNumber)),
    scanned: over === 'limit' ? (events.at(-1)?.file ?? -1) + 1 : finished,
    enumerated: facts.enumerated,
    linesCut: events.reduce((count, event) => (facts.cut.has(event) ? count + 1 : count), 0),
    processes: facts.processes,
    error: facts.error,
    backendStderr: stderr.text(),
  };
}

/** Takes the events of files that are not finished out of the answer, and gives the first of them. */
function takeUnfinished({ events, takeBack }: Gathering, finished: number): RunEvent | undefined {
  const index = events.findIndex(({ file }) => file >= finished);
  return index < 0 ? undefined : takeBack(index)[0];
}

/** An event that has come and is not in the answer. */
function firstWaiting(scans: readonly Scan[]): RunEvent | undefined {
  return scans.flatMap((scan) => scan.take())[0];
}

const ENDS = { limit: 'truncated', time: 'timed_out', error: 'backend_error' } as const satisfies Record<Exclude<Over, 'all'>, RunEnd>;

function endOf(over: Over, events: readonly RunEvent[]): RunEnd {
  if (over !== 'all') return ENDS[over];
  return events.some(({ type }) => type === 'match') ? 'ok_with_matches' : 'ok_no_matches';
}
