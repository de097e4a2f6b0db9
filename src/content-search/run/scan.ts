import type { BackendEnd, BackendProcess } from '../../core/ports/index.ts';
import { STDIN_NAME } from '../backends/dialects.ts';
import { type OutputParser, outputParser } from '../backends/parse-output.ts';
import { fileWarning } from '../enumerate/warning-line.ts';
import type { Candidate, RunEvent, RunOptions, Warning } from '../search/types.ts';
import type { Chunk } from './chunks.ts';
import { matchHere } from './match-here.ts';

/**
 * The life of a chunk. `reading`: its process runs and is read. `held`: its process runs and waits, because its events are
 * not needed yet and enough are kept. `ended`: all its events are here. `stopped`: it was ended from outside.
 */
const LIFE = {
  reading: { hold: 'held', end: 'ended', stop: 'stopped' },
  held: { release: 'reading', stop: 'stopped' },
  ended: {},
  stopped: {},
} as const satisfies Record<ScanState, Partial<Record<ScanStep, ScanState>>>;

export type ScanState = 'reading' | 'held' | 'ended' | 'stopped';
type ScanStep = 'hold' | 'release' | 'end' | 'stop';

/** One chunk in the hands of a process. */
export interface Scan {
  readonly chunk: Chunk;
  readonly state: ScanState;
  /** How the process ended, and which part of it the tool has to answer for. */
  readonly end: ScanEnd | undefined;
  /** Whether a process was started for it. */
  readonly hasProcess: boolean;
  /** Bytes of output whose events have not been taken. */
  readonly waitingBytes: number;
  /** Number of the candidate before which all are finished. */
  readonly finishedBefore: number;
  /** Whether its events came in order so far. */
  readonly ordered: boolean;
  /** Takes the events that have come; with `all` back from the answer they are sorted when the last has come. */
  take(): readonly RunEvent[];
  /** Puts events back in front of those that wait: an output out of order is sorted as a whole. */
  giveBack(events: readonly RunEvent[]): void;
  /** Goes on with a scan that was held. */
  release(): void;
  /** Ends the process. */
  stop(): void;
  /** Resolves when the process is gone. */
  readonly done: Promise<void>;
}

export interface ScanEnd extends BackendEnd {
  readonly matches: number;
  readonly violation: string | undefined;
  /** Files that the tool itself could not open. */
  readonly warnings: readonly Warning[];
  /** Whether there is nothing to judge: 0 or 1, without a word on stderr, and all of the output could be read. */
  readonly isOrdinary: boolean;
}

export interface ScanHooks {
  /** Called whenever events have come. */
  readonly changed: () => void;
  /** Whether a scan with this much waiting must hold. */
  readonly mustHold: (scan: Scan) => boolean;
  readonly onCut: (event: RunEvent) => void;
}

const NOT_STARTED = { code: 1, signal: null, stderr: '' } as const satisfies BackendEnd;

/** Starts the process of a chunk and reads it. */
export function startScan(chunk: Chunk, options: RunOptions, hooks: ScanHooks): Scan {
  const { process, warnings, found } = begin(chunk, options, hooks);
  const parser = parserOf(chunk, hooks.onCut);
  const standing = standingFiles(chunk, options);
  let state: ScanState = 'reading';
  let end: ScanEnd | undefined;
  let events: RunEvent[] = [];
  let waitingBytes = 0;
  let matches = 0;
  let go: (() => void) | undefined;

  const step = (name: ScanStep): void => {
    const next: Partial<Record<ScanStep, ScanState>> = LIFE[state];
    state = next[name] ?? state;
  };
  const add = (more: readonly RunEvent[]): void => {
    for (const event of more) {
      if (event.type === 'match') matches += 1;
      if (standing(event.file)) events.push(event);
    }
  };
  const read = async (started: BackendProcess): Promise<BackendEnd> => {
    for await (const block of started.stdout) {
      add(parser.push(block));
      waitingBytes += block.length;
      if (parser.violation !== undefined) started.kill();
      hooks.changed();
      if (state !== 'reading') break;
      if (hooks.mustHold(scan)) await hold();
    }
    return started.ended;
  };
  const hold = (): Promise<void> => {
    step('hold');
    return new Promise((resolve) => {
      go = resolve;
    });
  };
  /** Events of this process lie between those of a backend. */
  const ordered = (): boolean => parser.ordered && (found.length === 0 || process === undefined);
  const live = async (): Promise<void> => {
    add(found);
    const how = process === undefined ? NOT_STARTED : await read(process);
    parser.end(state === 'stopped');
    const { violation } = parser;
    end = { ...how, matches, violation, warnings, isOrdinary: isOrdinary(how) && violation === undefined };
    step('end');
  };

  const scan: Scan = {
    chunk,
    hasProcess: process !== undefined,
    get state() {
      return state;
    },
    get end() {
      return end;
    },
    get waitingBytes() {
      return waitingBytes;
    },
    get finishedBefore() {
      if (end !== undefined && state === 'ended') return chunk.first + chunk.files.length;
      return chunk.first + (ordered() ? Math.max(0, parser.current) : 0);
    },
    get ordered() {
      return ordered();
    },
    take() {
      const taken = events;
      events = [];
      waitingBytes = 0;
      return ordered() ? taken : taken.sort(byPlace);
    },
    giveBack(back) {
      events = [...back, ...events];
    },
    release() {
      step('release');
      go?.();
    },
    stop() {
      step('stop');
      process?.kill();
      go?.();
    },
    done: Promise.resolve().then(live),
  };
  return scan;
}

interface Begun {
  readonly process: BackendProcess | undefined;
  readonly warnings: readonly Warning[];
  /** What was found without a backend, in order. */
  readonly found: readonly RunEvent[];
}

/** Starts the process of a chunk, or says why its one file was not given to any; none is started for files that were searched here. */
function begin(chunk: Chunk, options: RunOptions, { onCut }: ScanHooks): Begun {
  const { backend, query, cwd, recheck, read } = options;
  // Only the first chunk, so that no more is read in this process than a backend takes to start.
  const here = read === undefined || chunk.first > 0 ? undefined : matchHere(chunk, { backend, query, read, onCut });
  const [left, found] = here === undefined ? [chunk.files, []] : [here.rest, here.events];
  const files = recheck === undefined ? left : left.filter(inside(recheck(left, 'before')));
  const unnamed = files.find(({ raw }) => raw !== undefined);
  if (files.length === 0) return { process: undefined, warnings: [], found };
  if (unnamed === undefined) return { process: backend.start({ query, cwd, files: files.map(({ text }) => text) }), warnings: [], found };
  const fd = options.open(unnamed);
  if (typeof fd === 'string') return { process: undefined, warnings: [fileWarning(chunk.first, unnamed.text, fd)], found };
  return { process: backend.start({ query, cwd, files: [], descriptor: { fd } }), warnings: [], found };
}

function isOrdinary({ code, stderr, startError }: BackendEnd): boolean {
  return (code === 0 || code === 1) && stderr === '' && startError === undefined;
}

function inside(standing: ReadonlySet<Candidate>): (file: Candidate) => boolean {
  return (file) => standing.has(file);
}

function parserOf({ first, files }: Chunk, onCut: (event: RunEvent) => void): OutputParser {
  const printed = files[0]?.raw === undefined ? (index: number) => `./${files[index]?.text}` : () => STDIN_NAME;
  return outputParser({ files, first, printed }, onCut);
}

/** Whether the events of a file count: where ways are looked at again, each file once, when its first event has come. */
function standingFiles({ first, files }: Chunk, { recheck }: RunOptions): (number: number) => boolean {
  if (recheck === undefined) return () => true;
  const known = new Map<number, boolean>();
  return (number) => {
    const file = files[number - first];
    const stands = known.get(number) ?? (file !== undefined && recheck([file], 'after').has(file));
    known.set(number, stands);
    return stands;
  };
}

function byPlace(a: RunEvent, b: RunEvent): number {
  return a.file - b.file || a.line - b.line;
}
