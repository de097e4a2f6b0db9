import type { RunTuning } from '../../../../src/content-search/run/run-search.ts';
import type { Candidate, Enumeration, RunEvent, RunOptions } from '../../../../src/content-search/search/types.ts';
import type { BackendEnd, BackendJob, BackendProcess, BackendQuery, SearchBackend } from '../../../../src/core/ports/index.ts';

/** One line that a scripted backend prints for a file. */
export interface ScriptLine {
  readonly line: number;
  readonly mark: ':' | '-' | '|';
  readonly text: string;
}

/** What a scripted backend does. */
export interface Script {
  readonly lines: ReadonlyMap<string, readonly ScriptLine[]>;
  /** Bytes per block of stdout, in turn. */
  readonly splits?: readonly number[];
  /** Turns of the event loop before the n-th process says anything. */
  readonly delays?: readonly number[];
  /** Called before each block; a promise holds it up. */
  readonly beforeBlock?: (job: BackendJob, block: number) => Promise<void> | undefined;
  /** How a process ends that was not killed. */
  readonly endOf?: (job: BackendJob, hasMatches: boolean) => Partial<BackendEnd>;
  readonly shuffle?: (records: readonly string[]) => readonly string[];
}

export interface ScriptedBackend extends SearchBackend {
  readonly jobs: BackendJob[];
  /** Processes that run now. */
  running: number;
  /** Bytes that were handed over by all processes that are not the first of the running ones. */
  handed: number;
}

export function scripted(script: Script): ScriptedBackend {
  const backend: ScriptedBackend = {
    ...{ kind: 'rg', id: 'rg@0.0.0', folding: 'UNKNOWN', fuzzy: false, fileList: 'ARGV_CHUNKED', jobs: [], running: 0, handed: 0 },
    start(job) {
      const turn = backend.jobs.push(job) - 1;
      return startScripted(job, turn, script, backend);
    },
  };
  return backend;
}

function startScripted(job: BackendJob, turn: number, script: Script, backend: ScriptedBackend): BackendProcess {
  const names =
    job.descriptor === undefined ? job.files.map((file) => ({ file, printed: `./${file}` })) : [{ file: `fd ${job.descriptor.fd}`, printed: '<stdin>' }];
  const records = names.flatMap(({ file, printed }) => (script.lines.get(file) ?? []).map(({ line, mark, text }) => `${printed}\0${line}${mark}${text}\n`));
  const bytes = Buffer.from((script.shuffle?.(records) ?? records).join(''));
  let isKilled = false;
  let ended: (end: BackendEnd) => void = () => undefined;
  const end = new Promise<BackendEnd>((resolve) => {
    ended = resolve;
  });
  let die: () => void = () => undefined;
  const dead = new Promise<void>((resolve) => {
    die = resolve;
  });
  backend.running += 1;
  let isOver = false;
  const finish = (how: BackendEnd): void => {
    // Who kills one that has just ended changes nothing.
    if (isOver) return;
    isOver = true;
    backend.running -= 1;
    ended(how);
  };
  async function* stdout(): AsyncGenerator<Buffer> {
    for (let n = script.delays?.[turn % script.delays.length] ?? 0; n > 0; n -= 1) await new Promise(setImmediate);
    const splits = script.splits ?? [65_536];
    let at = 0;
    for (let block = 0; at < bytes.length && !isKilled; block += 1) {
      await Promise.race([script.beforeBlock?.(job, block), dead]);
      if (isKilled) break;
      const size = Math.max(1, splits[block % splits.length] ?? 1);
      backend.handed += Math.min(size, bytes.length - at);
      yield Buffer.from(bytes.subarray(at, at + size));
      at += size;
    }
    if (!isKilled) finish({ code: records.length > 0 ? 0 : 1, signal: null, stderr: '', ...script.endOf?.(job, records.length > 0) });
  }
  return {
    stdout: stdout(),
    ended: end,
    kill() {
      if (isKilled) return;
      isKilled = true;
      die();
      finish({ code: null, signal: 'SIGKILL', stderr: '' });
    },
  };
}

/** Files that are there already, handed out at most `step` at a time. */
export function listed(paths: readonly (string | Buffer)[], step = Number.POSITIVE_INFINITY): Enumeration {
  let at = 0;
  return {
    warnings: [],
    next(limit) {
      const some = paths
        .slice(at, at + Math.min(limit, step))
        .map((path): Candidate => (typeof path === 'string' ? { text: path, raw: undefined } : { text: path.toString(), raw: path }));
      at += some.length;
      return some;
    },
  };
}

export const QUERY: BackendQuery = { pattern: 'needle', fixedStrings: true, wordRegexp: false, ignoreCase: false, context: 0, fuzzy: 0, maxCount: 1000 };

export function runOptions(backend: SearchBackend, paths: readonly (string | Buffer)[], more: Partial<RunOptions> = {}): RunOptions {
  return {
    backend,
    query: QUERY,
    cwd: '/',
    files: listed(paths),
    maxEvents: 1000,
    deadline: 60_000,
    now: () => 0,
    signal: new AbortController().signal,
    lanes: 2,
    tryOpen: () => undefined,
    open: () => 'EIO',
    reader: () => undefined,
    ...more,
  };
}

export function matchLine(line: number, text = 'needle'): ScriptLine {
  return { line, mark: ':', text };
}

/** What a run over these files has to answer when nothing ends it early. */
export function expectedEvents(paths: readonly string[], lines: Script['lines']): readonly RunEvent[] {
  return paths.flatMap((path, file) =>
    (lines.get(path) ?? []).map(({ line, mark, text }) => ({ file, path, type: mark === '-' ? ('context' as const) : ('match' as const), line, text })),
  );
}

export const tuned = (...files: number[]): RunTuning => ({ chunks: { files, pathBytes: 512 * 1024 }, waitingBytes: 4 * 1024 * 1024 });

/** Files `000`, `001`, … with as many matches each, and context around them. */
export function tree(matches: readonly number[]): { readonly paths: string[]; readonly lines: Map<string, ScriptLine[]> } {
  const paths = matches.map((_, index) => String(index).padStart(3, '0'));
  const lines = new Map(
    matches.map((count, index) => [
      paths[index] ?? '',
      Array.from({ length: count * 3 }, (_, n): ScriptLine => ({ line: n + 1, mark: n % 3 === 1 ? ':' : '-', text: `text ${n}` })),
    ]),
  );
  return { paths, lines };
}

/** Resolves when the backend has handed out nothing for a while: whoever was to go on has, and whoever is held stays so. */
export async function atRest(backend: { readonly handed: number }): Promise<void> {
  for (let [last, seen] = [-1, 0]; last !== backend.handed || seen < 20; seen += 1) {
    last = backend.handed;
    for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
  }
}
