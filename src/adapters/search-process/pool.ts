import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { ScanAnswer, Scanner } from '../../core/ports/index.ts';
import { type ChildEnd, type ScanChild, startChild } from './child.ts';
import { residentBytes } from './resident.ts';

/** Why a search process was ended from outside. */
export type KillReason = 'memory' | 'stopped' | 'grown';

export interface ScanPoolOptions {
  /** Module that a search process runs, and its arguments. */
  readonly entry: URL;
  readonly args: readonly string[];
  /** Variables of the environment that the process gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Processes that are kept ready; as many searches run at the same time. */
  readonly size: number;
  /** What a search may take beyond the resident size of the idle process, bytes. */
  readonly maxBytes: number;
  /** Told of processes that were ended, and of those that ended by themselves. */
  readonly onEnd?: (why: KillReason | 'died') => void;
  /** Told of every process that is gone, so that what it left on the disk can be removed. */
  readonly onGone?: (pid: number) => void;
}

/** How often the resident size of a searching process is looked at (design 6). */
const SAMPLE_MS = 50;
const START_MS = 20_000;
/** An idle process that has kept more than this share of the limit is replaced: the next search must find its room. */
const KEPT_SHARE = 0.25;

const TOO_MUCH_MEMORY: ScanAnswer = { ok: false, code: 'RESOURCE_EXHAUSTED', message: 'the search needed more memory than it may take' };
const DIED: ScanAnswer = { ok: false, code: 'EXECUTION_FAILED', message: 'the process of the search ended unexpectedly' };
const STOPPED: ScanAnswer = { ok: false, code: 'EXECUTION_FAILED', message: 'the search was stopped' };
const NOT_STARTED: ScanAnswer = { ok: false, code: 'EXECUTION_FAILED', message: 'the process of the search could not be started' };

/**
 * A small pool of warm processes, one running search each (design 6): a thread could not be bounded, because native
 * memory belongs to the whole process. The limit is enforced from outside by SIGKILL, so it also holds for code that
 * never returns to its event loop. A killed process is replaced at once.
 */
export function createScanPool(options: ScanPoolOptions): Scanner {
  const idle: Promise<ScanChild>[] = [];
  const waiting: ((child: Promise<ScanChild>) => void)[] = [];
  const all = new Set<ScanChild>();
  let running = false;
  let stopping = new AbortController();

  async function start(): Promise<ScanChild> {
    const child = await startChild({ entry: options.entry, args: options.args, env: options.env ?? {}, startMs: START_MS });
    all.add(child);
    void child.ended.then(() => {
      all.delete(child);
      options.onGone?.(child.pid);
    });
    if (!running) child.kill();
    return child;
  }

  function put(child: Promise<ScanChild>): void {
    // Whoever takes it hears of the failure; until then nobody waits for it.
    child.catch(() => undefined);
    const next = waiting.shift();
    if (next) next(child);
    else idle.push(child);
  }

  async function take(): Promise<ScanChild> {
    const child = await (idle.shift() ?? new Promise<Promise<ScanChild>>((resolve) => waiting.push(resolve)));
    // An idle process may have ended meanwhile, for instance by the kernel's hand.
    return all.has(child) ? child : start();
  }

  const scan: Scanner['scan'] = async (request, signal) => {
    let child: ScanChild;
    try {
      child = await take();
    } catch {
      if (running) put(start());
      return NOT_STARTED;
    }
    const either = AbortSignal.any([signal, stopping.signal]);
    const end = either.aborted ? { answer: STOPPED, keep: true } : await supervised(child, request, either, options);
    if (running) put(end.keep ? Promise.resolve(child) : start());
    return end.answer;
  };

  async function end(): Promise<void> {
    running = false;
    // So that a search that is killed here is not taken for one that the kernel has killed.
    stopping.abort();
    // Those that are still starting end themselves when they see that nobody wants them.
    await Promise.allSettled(idle.splice(0));
    const ending = [...all];
    for (const child of ending) child.kill();
    await Promise.all(ending.map(({ ended }) => ended));
  }

  const life: Lifecycle = lifecycle(async () => {
    running = true;
    stopping = new AbortController();
    const children = Array.from({ length: options.size }, start);
    for (const child of children) put(child);
    try {
      await Promise.all(children);
    } catch (error) {
      // One that cannot start must not leave its siblings behind.
      await end();
      throw error;
    }
  }, end);
  return { ...life, scan };
}

/** One search in one process: its answer, or why it was ended before. */
async function supervised(
  child: ScanChild,
  request: Parameters<Scanner['scan']>[0],
  signal: AbortSignal,
  { maxBytes, onEnd }: ScanPoolOptions,
): Promise<{ readonly answer: ScanAnswer; readonly keep: boolean }> {
  let killed: KillReason | undefined;
  const kill = (why: KillReason): void => {
    killed ??= why;
    child.kill();
  };
  const abort = (): void => kill('stopped');
  const sampler = setInterval(() => {
    if ((residentBytes(child.pid) ?? 0) > child.idleBytes + maxBytes) kill('memory');
  }, SAMPLE_MS);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const end = await Promise.race([child.run(request), child.ended]);
    if ('ok' in end && killed === undefined) {
      const grown = (residentBytes(child.pid) ?? 0) > child.idleBytes + maxBytes * KEPT_SHARE;
      if (grown) kill('grown');
      if (killed !== undefined) onEnd?.(killed);
      return { answer: end, keep: !grown };
    }
    onEnd?.(killed ?? 'died');
    return { answer: answerOfEnd('ok' in end ? undefined : end, killed), keep: false };
  } finally {
    clearInterval(sampler);
    signal.removeEventListener('abort', abort);
  }
}

/** Out of memory shows as SIGABRT (V8's own limit) or as a SIGKILL that was not ours (the kernel's). */
function answerOfEnd(end: ChildEnd | undefined, killed: KillReason | undefined): ScanAnswer {
  if (killed === 'stopped') return STOPPED;
  return killed === 'memory' || end?.signal === 'SIGKILL' || end?.signal === 'SIGABRT' ? TOO_MUCH_MEMORY : DIED;
}
