import type { BackendEnd, BackendProcess } from '../../core/ports/index.ts';
import { STDIN_NAME } from '../backends/dialects.ts';
import { type OutputParser, outputParser } from '../backends/parse-output.ts';
import { fileWarning } from '../enumerate/warning-line.ts';
import type { Candidate, RunEvent, RunOptions, Warning } from '../search/types.ts';
import type { Chunk } from './chunks.ts';
import { lineStarts, losesStarts } from './line-starts.ts';
import { type FoundHere, matchHere } from './match-here.ts';

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
  /** Ends the process, or the search in this one. */
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
  /** Told of each process. */
  readonly started: () => void;
  /** Called whenever events have come. */
  readonly changed: () => void;
  /** Whether a scan with this much waiting must hold. */
  readonly mustHold: (scan: Scan) => boolean;
  readonly onCut: (event: RunEvent) => void;
}

const NOT_STARTED = { code: 1, signal: null, stderr: '' } as const satisfies BackendEnd;

/** Starts the process of a chunk and reads it; or searches it here as far as that may be, and starts one for the rest. */
export function startScan(chunk: Chunk, options: RunOptions, hooks: ScanHooks): Scan {
  const here = slicesOf(chunk, options, hooks);
  let begun = here === undefined ? begin(chunk, chunk.files, options, hooks) : NOT_BEGUN;
  /** What was found here and what was not looked into, so far. */
  const seen = { events: 0, rest: [] as Candidate[], looked: 0 };
  const starts = losesStarts(options) ? lineStarts(chunk, { reader: options.reader, onCut: hooks.onCut, isWanted: () => state === 'reading' }) : undefined;
  const parser = parserOf(chunk, hooks.onCut, starts?.note);
  const standing = standingFiles(chunk, options);
  let state: ScanState = 'reading';
  let end: ScanEnd | undefined;
  let events: RunEvent[] = [];
  let waitingBytes = 0;
  let matches = 0;
  /** Of the files of the process, the one whose events came last. */
  let current = -1;
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
      const printed = parser.push(block);
      add((await starts?.mended(printed)) ?? printed);
      if (state === 'reading') current = parser.current;
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
  const note = ({ events: found, rest, looked }: FoundHere): void => {
    add(found);
    seen.events += found.length;
    seen.rest.push(...rest);
    seen.looked = looked;
  };
  /** In slices, between which the deadline, an abort or a full answer can stop it. */
  const lookHere = async (slices: NonNullable<typeof here>): Promise<void> => {
    for (let isDone = false; !isDone; ) {
      if (state !== 'reading') return;
      const slice = slices.next();
      note(slice.value);
      isDone = slice.done === true;
      if (isDone) continue;
      hooks.changed();
      await turn();
    }
    begun = begin(chunk, seen.rest, options, hooks);
  };
  /** Events of this process lie between those of a backend. */
  const ordered = (): boolean => parser.ordered && (seen.events === 0 || seen.rest.length === 0);
  const live = async (): Promise<void> => {
    if (here !== undefined) await lookHere(here);
    const { process, warnings } = begun;
    const how = process === undefined ? NOT_STARTED : await read(process).finally(starts?.close);
    parser.end(state === 'stopped');
    const { violation } = parser;
    end = { ...how, matches, violation, warnings, isOrdinary: isOrdinary(how) && violation === undefined };
    step('end');
  };

  const scan: Scan = {
    chunk,
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
      const looked = seen.rest.length === 0 ? seen.looked : 0;
      return chunk.first + (ordered() ? Math.max(looked, current) : 0);
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
      begun.process?.kill();
      go?.();
    },
    done: Promise.resolve().then(live),
  };
  return scan;
}

interface Begun {
  readonly process: BackendProcess | undefined;
  readonly warnings: readonly Warning[];
}

const NOT_BEGUN: Begun = { process: undefined, warnings: [] };

/** The search in this process; only of the first chunk, so that no more is read here than a backend takes to start. */
function slicesOf(chunk: Chunk, { backend, query, read }: RunOptions, { onCut }: ScanHooks): ReturnType<typeof matchHere> | undefined {
  return read === undefined || chunk.first > 0 ? undefined : matchHere(chunk, { backend, query, read, onCut });
}

/** Starts the process of these files of a chunk, or says why its one file was not given to any. */
function begin(chunk: Chunk, left: readonly Candidate[], options: RunOptions, { started }: ScanHooks): Begun {
  const { backend, query, cwd, recheck } = options;
  const files = recheck === undefined ? left : left.filter(inside(recheck(left, 'before')));
  const unnamed = files.find(({ raw }) => raw !== undefined);
  if (files.length === 0) return NOT_BEGUN;
  const fd = unnamed === undefined ? undefined : options.open(unnamed);
  if (typeof fd === 'string') return { process: undefined, warnings: [fileWarning(chunk.first, unnamed?.text ?? '', fd)] };
  started();
  const what = fd === undefined ? { files: files.map(({ text }) => text) } : { files: [], descriptor: { fd } };
  return { process: backend.start({ query: losesStarts(options) ? { ...query, offsets: true } : query, cwd, ...what }), warnings: [] };
}

/** Lets timers and requests have their turn. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function isOrdinary({ code, stderr, startError }: BackendEnd): boolean {
  return (code === 0 || code === 1) && stderr === '' && startError === undefined;
}

function inside(standing: ReadonlySet<Candidate>): (file: Candidate) => boolean {
  return (file) => standing.has(file);
}

function parserOf({ first, files }: Chunk, onCut: (event: RunEvent) => void, onFar: Parameters<typeof outputParser>[2]): OutputParser {
  const printed = files[0]?.raw === undefined ? (index: number) => `./${files[index]?.text}` : () => STDIN_NAME;
  return outputParser({ files, first, printed }, onCut, onFar);
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
