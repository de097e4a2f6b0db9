/** What Redis keeps of one job. */
export interface StoredJob {
  readonly id: string;
  readonly name: string;
  data: unknown;
  readonly opts: { readonly attempts?: number; readonly backoff?: unknown };
  readonly timestamp: number;
  state: 'waiting' | 'active' | 'delayed' | 'completed' | 'failed';
  /** Wall clock of whoever delayed it, milliseconds since 1970. */
  delayedUntil: number;
  /** For how long it was delayed the last time, milliseconds. */
  delay: number;
  attemptsMade: number;
  attemptsStarted: number;
  stalledCounter: number;
  processedOn: number | undefined;
  failedReason: string;
  returnvalue: unknown;
  stacktrace: readonly string[];
  lock: { readonly token: string; readonly until: number } | undefined;
  /** Seen active by the last look for stalled jobs, its lock not renewed since. */
  suspected: boolean;
  /** Order within the list of its state. */
  place: number;
}

/** Clocks of one installation agree so far, milliseconds. */
const AGREE_MS = 5_000;

/** BullMQ's own. */
export interface RetryOptions {
  readonly resetAttemptsMade?: boolean;
  readonly resetAttemptsStarted?: boolean;
}

/** A refusal of BullMQ's scripts: -1 the job is gone, -2 it has no lock, -3 it is in another state, -6 the lock is somebody else's. */
export class QueueRefusal extends Error {
  readonly code: number;
  constructor(code: number, what: string) {
    super(`${what} (${code})`);
    this.code = code;
  }
}

/** What BullMQ promises of one queue, as Redis keeps it; each method is one script. Times are the callers' wall clocks, locks Redis's own. */
export class QueueTwin {
  readonly name: string;
  jobs = new Map<string, StoredJob>();
  /** Told when a job can be taken now. */
  onWaiting: () => void = () => undefined;
  /** Told when a job has failed for good. */
  onFailed: () => void = () => undefined;
  #places = 0;
  #firsts = 0;
  #ids = 0;
  #lastLook = Number.NEGATIVE_INFINITY;

  constructor(name: string) {
    this.name = name;
  }

  add(name: string, data: unknown, opts: { readonly jobId?: string; readonly attempts?: number }, now: number): string {
    this.#ids += 1;
    const id = opts.jobId ?? String(this.#ids);
    if (this.jobs.has(id)) return id;
    this.jobs.set(id, {
      id,
      name,
      data,
      opts,
      timestamp: now,
      state: 'waiting',
      delayedUntil: 0,
      delay: 0,
      attemptsMade: 0,
      attemptsStarted: 0,
      stalledCounter: 0,
      processedOn: undefined,
      failedReason: '',
      returnvalue: null,
      stacktrace: [],
      lock: undefined,
      suspected: false,
      place: this.#next(),
    });
    this.onWaiting();
    return id;
  }

  /** The next job, locked; or when the first delayed one is due. */
  take(token: string, lockMs: number, now: number, redisNow: number): { readonly job: StoredJob | undefined; readonly nextAt: number | undefined } {
    for (const job of this.inOrder('delayed')) if (job.delayedUntil <= now) this.#wait(job);
    const [job] = this.inOrder('waiting');
    if (job === undefined) return { job: undefined, nextAt: this.inOrder('delayed')[0]?.delayedUntil };
    job.state = 'active';
    job.lock = { token, until: redisNow + lockMs };
    job.suspected = false;
    job.attemptsStarted += 1;
    job.processedOn = now;
    return { job, nextAt: undefined };
  }

  /** Answers which locks were not ours any more. */
  extend(locks: readonly { readonly id: string; readonly token: string }[], lockMs: number, redisNow: number): readonly string[] {
    return locks.flatMap(({ id, token }) => {
      const job = this.jobs.get(id);
      if (job === undefined || !isHeld(job, token, redisNow)) return [id];
      job.lock = { token, until: redisNow + lockMs };
      job.suspected = false;
      return [];
    });
  }

  complete(id: string, token: string, value: unknown, redisNow: number): void {
    const job = this.#owned(id, token, redisNow);
    job.attemptsMade += 1;
    Object.assign(job, { state: 'completed', returnvalue: value, lock: undefined, place: this.#next() });
  }

  fail(id: string, token: string, reason: string, recoverable: boolean, now: number, redisNow: number): 'failed' | 'again' {
    const job = this.#owned(id, token, redisNow);
    job.attemptsMade += 1;
    job.failedReason = reason;
    job.stacktrace = [...job.stacktrace, reason];
    job.lock = undefined;
    if (recoverable && job.attemptsMade < (job.opts.attempts ?? 1)) {
      this.#delay(job, now + 1000 * 2 ** (job.attemptsMade - 1), now);
      return 'again';
    }
    Object.assign(job, { state: 'failed', place: this.#next() });
    this.onFailed();
    return 'failed';
  }

  delay(id: string, token: string, until: number, now: number, redisNow: number): void {
    const job = this.#owned(id, token, redisNow);
    job.lock = undefined;
    this.#delay(job, Math.max(until, now), now);
  }

  /** Two looks apart: a job that was active at the last one and has no lock at this one waits again. */
  lookForStalled(everyMs: number, redisNow: number): readonly string[] {
    if (redisNow - this.#lastLook < everyMs) return [];
    this.#lastLook = redisNow;
    const stalled: string[] = [];
    for (const job of this.inOrder('active')) {
      if (job.suspected && (job.lock === undefined || job.lock.until <= redisNow)) {
        job.stalledCounter += 1;
        job.lock = undefined;
        // It had its turn: it goes before those that wait.
        job.state = 'waiting';
        this.#firsts -= 1;
        job.place = this.#firsts;
        stalled.push(job.id);
      } else {
        job.suspected = true;
      }
    }
    if (stalled.length > 0) this.onWaiting();
    return stalled;
  }

  /** What `queues/late-jobs.ts` does, by the clock of Redis. */
  promoteLate(redisNow: number): void {
    const late = this.inOrder('delayed').filter(
      ({ delayedUntil, delay, attemptsStarted }) => delayedUntil < redisNow - AGREE_MS || (attemptsStarted > 0 && delayedUntil > redisNow + delay + AGREE_MS),
    );
    for (const { id } of late) this.promote(id);
  }

  /** The job of a task that has ended without one (`leave-job-4.lua`). */
  leave(id: string, name: string, data: unknown, told: { readonly kind: string; readonly message?: string; readonly value?: unknown }, now: number): void {
    const there = this.jobs.get(id);
    if (there !== undefined && there.state !== 'completed' && there.state !== 'failed') return;
    this.jobs.set(id, {
      id,
      name,
      data,
      opts: {},
      timestamp: now,
      state: told.kind === 'complete' ? 'completed' : 'failed',
      delayedUntil: 0,
      delay: 0,
      attemptsMade: 1,
      attemptsStarted: 1,
      stalledCounter: 0,
      processedOn: now,
      failedReason: told.message ?? '',
      returnvalue: told.value ?? null,
      stacktrace: [],
      lock: undefined,
      suspected: false,
      place: this.#next(),
    });
  }

  promote(id: string): void {
    const job = this.jobs.get(id);
    if (job === undefined) throw new QueueRefusal(-1, 'missing job');
    if (job.state !== 'delayed') throw new QueueRefusal(-3, 'not delayed');
    this.#wait(job);
    this.onWaiting();
  }

  retry(id: string, from: 'completed' | 'failed', { resetAttemptsMade = false, resetAttemptsStarted = false }: RetryOptions = {}): void {
    const job = this.jobs.get(id);
    if (job === undefined) throw new QueueRefusal(-1, 'missing job');
    if (job.state !== from) throw new QueueRefusal(-3, `not ${from}`);
    Object.assign(job, {
      failedReason: '',
      returnvalue: null,
      ...(resetAttemptsMade && { attemptsMade: 0 }),
      ...(resetAttemptsStarted && { attemptsStarted: 0 }),
    });
    this.#wait(job);
    this.onWaiting();
  }

  update(id: string, data: unknown): void {
    const job = this.jobs.get(id);
    if (job === undefined) throw new QueueRefusal(-1, 'missing job');
    job.data = data;
  }

  /** False for a job that somebody works on. */
  remove(id: string, redisNow: number): boolean {
    const lock = this.jobs.get(id)?.lock;
    if (lock !== undefined && lock.until > redisNow) return false;
    this.jobs.delete(id);
    return true;
  }

  save(): () => void {
    const saved = [...this.jobs].map(([id, job]) => [id, { ...job }] as const);
    return () => {
      this.jobs = new Map(saved.map(([id, job]) => [id, { ...job }]));
      this.onWaiting();
    };
  }

  #owned(id: string, token: string, redisNow: number): StoredJob {
    const job = this.jobs.get(id);
    if (job === undefined) throw new QueueRefusal(-1, 'missing job');
    if (job.lock === undefined || job.lock.until <= redisNow) throw new QueueRefusal(-2, 'missing lock');
    if (job.lock.token !== token) throw new QueueRefusal(-6, 'lock of another worker');
    if (job.state !== 'active') throw new QueueRefusal(-3, 'not active');
    return job;
  }

  #delay(job: StoredJob, until: number, now: number): void {
    Object.assign(job, { state: 'delayed', delayedUntil: until, delay: until - now, place: this.#next() });
    this.onWaiting();
  }

  #wait(job: StoredJob): void {
    Object.assign(job, { state: 'waiting', place: this.#next() });
  }

  /** The jobs of one state as they are served: those that are delayed by their time. */
  inOrder(state: StoredJob['state']): StoredJob[] {
    const found = [...this.jobs.values()].filter((job) => job.state === state);
    return found.length < 2 ? found : found.sort((a, b) => (state === 'delayed' ? a.delayedUntil - b.delayedUntil : 0) || a.place - b.place);
  }

  #next(): number {
    this.#places += 1;
    return this.#places;
  }
}

function isHeld(job: StoredJob, token: string, redisNow: number): boolean {
  return job.state === 'active' && job.lock?.token === token && job.lock.until > redisNow;
}
