import type { ContentSearchError } from '../../core/ports/index.ts';
import type { RunEnd, RunEvent, RunResult, Warning } from '../search/types.ts';
import type { Judge } from './judge.ts';
import type { Scan } from './scan.ts';

/** Why a run is over. */
export type EndReason = 'all' | 'limit' | 'time' | 'error';

/** Everything that a run has when no process of it is left. */
interface RunFacts {
  readonly over: EndReason;
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

const ENDS = { limit: 'truncated', time: 'timed_out', error: 'backend_error' } as const satisfies Record<Exclude<EndReason, 'all'>, RunEnd>;

function endOf(over: EndReason, events: readonly RunEvent[]): RunEnd {
  if (over !== 'all') return ENDS[over];
  return events.some(({ type }) => type === 'match') ? 'ok_with_matches' : 'ok_no_matches';
}

/** The answer as it grows: events come in their order and are counted. */
interface Gathering {
  /** Takes events that come next; false when no more are wanted. */
  take(events: readonly RunEvent[]): boolean;
  /** Gives back all events that are behind the first `count`. */
  takeBack(count: number): readonly RunEvent[];
  readonly count: number;
  readonly events: readonly RunEvent[];
  /** The event behind the last one of the answer, when it was seen (FR-LSI-TRUNC-01a). */
  readonly beyond: RunEvent | undefined;
}

/** What the JSON of an event has beside its path and its text, at least. */
const EVENT_JSON_MIN = '{"type":"match","data":{"path":{"text":""},"line_number":1,"lines":{"text":""}}},'.length;

/** Collects at most `maxEvents` events and no more than `maxBytes` bytes of JSON, by a count that never exceeds the real one; looks one event further. */
export function gathering(maxEvents: number, maxBytes = Number.POSITIVE_INFINITY): Gathering {
  const events: RunEvent[] = [];
  let bytes = 0;
  let beyond: RunEvent | undefined;
  const sizeOf = ({ path, text }: RunEvent): number => EVENT_JSON_MIN + path.length + text.length;

  return {
    take(more) {
      for (const event of more) {
        if (beyond !== undefined) return false;
        if (events.length >= maxEvents || bytes > maxBytes) {
          beyond = event;
          return false;
        }
        events.push(event);
        bytes += sizeOf(event);
      }
      return beyond === undefined;
    },
    takeBack(count) {
      const back = events.splice(count);
      for (const event of back) bytes -= sizeOf(event);
      return back;
    },
    get count() {
      return events.length;
    },
    events,
    get beyond() {
      return beyond;
    },
  };
}

function byNumber(a: Warning, b: Warning): number {
  return a.before - b.before;
}

/** More lines than this help nobody. */
const WARNINGS_MAX = 10_000;

function clipped(warnings: readonly Warning[]): readonly Warning[] {
  return warnings.length > WARNINGS_MAX ? warnings.slice(0, WARNINGS_MAX) : warnings;
}

/** What backends wrote to stderr, for the log of an operator. */
interface StderrLog {
  add(text: string): void;
  text(): string;
}

const LOG_MAX = 8_192;

export function stderrLog(): StderrLog {
  let kept = '';
  return {
    add(text) {
      if (kept.length < LOG_MAX) kept = (kept + text).slice(0, LOG_MAX);
    },
    text: () => kept,
  };
}
