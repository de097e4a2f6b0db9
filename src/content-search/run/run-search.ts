import type { BackendProcess, ContentSearchError } from '../../core/ports/index.ts';
import type { RunEvent, RunOptions, RunResult, Warning } from '../search/types.ts';
import { CHUNK_SIZES, type ChunkSizes, chunksOf, halvesOf } from './chunks.ts';
import { createJudge, mustAsk } from './judge.ts';
import { MAX_FILES_HERE } from './match-here.ts';
import { type EndReason, gathering, resultOf, stderrLog } from './result.ts';
import { type Scan, startScan } from './scan.ts';

/** Numbers that tests make small. */
export interface RunTuning {
  readonly chunks: ChunkSizes;
  /** Most bytes of output that wait for their turn before a process that is not at the head is held. */
  readonly waitingBytes: number;
}

export const RUN_TUNING: RunTuning = { chunks: CHUNK_SIZES, waitingBytes: 4 * 1024 * 1024 };

/**
 * Searches the files of an enumeration (local-search-index.md 3 and 8): in chunks, several processes at a time, the events
 * merged in the order of the files whatever the order in which the processes end (FR-LSI-EXE-03). It ends with the last
 * file, one event behind the limit, at the deadline, on abort, or with the first failure in that order; no process is left
 * then. Never rejects for what a pattern, a file or a backend does.
 */
export async function runSearch(options: RunOptions, tuning: RunTuning = RUN_TUNING): Promise<RunResult> {
  const run = createRun(options, tuning);
  const alarm = setTimeout(run.expire, Math.max(0, options.deadline - options.now()));
  options.signal.addEventListener('abort', run.expire, { once: true });
  try {
    if (options.signal.aborted || options.now() >= options.deadline) run.expire();
    await run.over;
    return await run.result();
  } finally {
    clearTimeout(alarm);
    options.signal.removeEventListener('abort', run.expire);
  }
}

interface Run {
  /** Ends the run with what is finished. */
  readonly expire: () => void;
  readonly over: Promise<void>;
  result(): Promise<RunResult>;
}

function createRun(options: RunOptions, { chunks, waitingBytes }: RunTuning): Run {
  // What is searched in this process is one chunk: the first.
  const source = chunksOf(options.files, options.read === undefined ? chunks : { ...chunks, files: [MAX_FILES_HERE, ...chunks.files.slice(1)] });
  const gathered = gathering(options.maxEvents, options.maxBytes);
  const asking: BackendProcess[] = [];
  const judge = createJudge(options, (process) => asking.push(process));
  const cut = new Set<RunEvent>();
  const warnings: Warning[] = [];
  const stderr = stderrLog();
  /** Started and not yet part of the answer, in order; the first is the head. */
  const scans: Scan[] = [];
  /** All of which a process may still run. */
  const living = new Set<Scan>();
  let over: EndReason | undefined;
  let error: ContentSearchError | undefined;
  let headStart = 0;
  let isJudging = false;
  let isPreparing = false;
  let processes = 0;
  let mergedFiles = 0;
  let settle: () => void = () => undefined;
  let crash: (error: unknown) => void = () => undefined;
  const settled = new Promise<void>((resolve, reject) => {
    settle = resolve;
    crash = reject;
  });

  const finish = (why: EndReason): void => {
    if (over !== undefined) return;
    over = why;
    for (const scan of living) scan.stop();
    for (const process of asking) process.kill();
    settle();
  };
  const fail = (why: ContentSearchError): void => {
    error = why;
    finish('error');
  };

  const launch = (chunk: Parameters<typeof startScan>[0]): Scan => {
    const scan: Scan = startScan(chunk, options, {
      started: () => {
        processes += 1;
      },
      changed: pump,
      mustHold: (one) => one !== scans[0] && waiting() >= waitingBytes,
      onCut: (event) => cut.add(event),
    });
    living.add(scan);
    scan.done
      .then(() => {
        living.delete(scan);
        pump();
      })
      .catch(crash);
    return scan;
  };
  const waiting = (): number => scans.reduce((sum, scan, index) => sum + (index === 0 ? 0 : scan.waitingBytes), 0);

  /** Takes what the head has; an output out of order waits for its end and is sorted. */
  const drain = (head: Scan): void => {
    if (!head.ordered && gathered.count > headStart) head.giveBack(gathered.takeBack(headStart));
    if (!head.ordered && head.state !== 'ended') return;
    if (!gathered.take(head.take())) finish('limit');
  };

  /** Judges the head, which has ended, and goes on with the next. */
  const conclude = async (head: Scan): Promise<void> => {
    isJudging = true;
    stderr.add(head.end?.stderr ?? '');
    const judged = await (head.end?.isOrdinary ? { warnings: head.end.warnings, error: undefined } : judge.judge(head));
    isJudging = false;
    if (over !== undefined) return;
    if (judged.error !== undefined) return fail(judged.error);
    warnings.push(...judged.warnings);
    scans.shift();
    headStart = gathered.count;
    mergedFiles += head.chunk.files.length;
    scans[0]?.release();
    pump();
  };

  /** A list of arguments that the system finds too long is halved (FR-LSI-EXE-01). */
  const split = (index: number, scan: Scan): void => {
    scans.splice(index, 1, ...halvesOf(scan.chunk).map(launch));
  };

  const merge = (): void => {
    const tooLong = scans.findIndex(({ end, chunk }) => end?.startError === 'E2BIG' && chunk.files.length > 1);
    const wide = scans[tooLong];
    if (wide !== undefined) split(tooLong, wide);
    const head = scans[0];
    if (head === undefined || isJudging) return;
    drain(head);
    if (over === undefined && head.state === 'ended') conclude(head).catch(crash);
  };

  const start = (): void => {
    while (over === undefined && living.size < options.lanes && waiting() < waitingBytes) {
      const chunk = source.next();
      if (chunk === undefined) break;
      scans.push(launch(chunk));
    }
    if (over === undefined && !source.isDone && !isPreparing) prepareSoon();
  };

  /** While the processes work, so that the next one need not wait for its files. */
  const prepareSoon = (): void => {
    isPreparing = true;
    later(() => {
      isPreparing = false;
      if (over === undefined) source.prepare();
    });
  };
  const later = (work: () => void): void => {
    setImmediate(() => {
      try {
        work();
      } catch (error) {
        crash(error);
      }
    });
  };

  function pump(): void {
    if (over !== undefined) return;
    merge();
    start();
    if (over === undefined && scans.length === 0 && !isJudging && source.isDone) complete().catch(crash);
  }

  /** All files are searched. Without any, nobody has said yet whether the pattern is one. */
  const complete = async (): Promise<void> => {
    isJudging = true;
    const refused = processes === 0 && mustAsk(options) ? await judge.refusal() : undefined;
    if (refused !== undefined) return fail(refused);
    const isLate = options.signal.aborted || options.now() >= options.deadline;
    // An enumeration ends early when the time is up.
    finish(isLate ? 'time' : 'all');
  };

  later(pump);
  return {
    expire: () => finish('time'),
    over: settled,
    async result() {
      await Promise.all([...living].map(({ done }) => done));
      const counts = { maxEvents: options.maxEvents, enumerated: source.enumerated, processes: processes + asking.length };
      return resultOf({ over: over ?? 'error', error, gathered, scans, mergedFiles, judge, warnings, cut, stderr, ...counts });
    },
  };
}
