import { type Processor, Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { isFull } from '../src/adapters/redis/redis-error.ts';
import { MAX_JOB_BYTES } from '../src/contracts/index.ts';
import { pause } from '../src/core/pause.ts';
import { boundJob } from './job-bounds.ts';
import { boundedOptions } from './job-options.ts';
import { createLateJobs } from './late-jobs.ts';

export interface TolerantWorkerOptions extends WorkerOptions {
  /** Longest text of a job's data, UTF-16 units; that of a task's job unless given. */
  readonly maxDataChars?: number;
  /** Told which locks are about to be renewed, before Redis is asked; BullMQ tells which of them were when the answer is read. */
  readonly onRenewing?: (jobIds: readonly string[]) => void;
  /** How a worker waits that found Redis full; `pause` unless given. */
  readonly pauseWhenFull?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Between two looks for jobs that wrong clocks keep delayed, milliseconds. */
const LOOK_MS = 30_000;

/** BullMQ asks again at once when a fetch is refused; a server without memory would be asked thousands of times a second. */
const FULL_MS = 1000;

/** BullMQ's scripts whose answer begins with the fields of the next job. */
const FETCHES: ReadonlySet<string> = new Set(['moveToActive', 'moveToFinished']);

/**
 * A raw producer may put anything into a job's hash. BullMQ parses it before any handler sees it, and a parse error there
 * would hit the job that was being completed, again with every delivery; a huge one would hold the process up. What is too
 * large or cannot be parsed is replaced before that, here and in Redis, so that whoever reads the job later meets it small.
 */
export class TolerantWorker extends Worker {
  readonly #late = createLateJobs(this);
  readonly #onRenewing: NonNullable<TolerantWorkerOptions['onRenewing']>;
  #looking: Promise<unknown> | undefined;

  constructor(
    name: string,
    processor: Processor | null,
    { maxDataChars = MAX_JOB_BYTES, onRenewing = () => undefined, pauseWhenFull = pause, ...options }: TolerantWorkerOptions,
  ) {
    super(name, processor, options);
    this.#onRenewing = onRenewing;
    const { backend } = this;
    const run = backend.execCommand.bind(backend);
    backend.execCommand = (client, command, args) => {
      const answer: unknown = run(client, command, args);
      return FETCHES.has(command) ? this.bounded(unlessFull(answer), maxDataChars) : answer;
    };
    const closing = new AbortController();
    const unlessFull = async (answer: unknown): Promise<unknown> => {
      try {
        return await answer;
      } catch (error) {
        if (isFull(error)) await pauseWhenFull(FULL_MS, closing.signal);
        throw error;
      }
    };
    const looks = setInterval(() => {
      if (this.closing === undefined) void this.promoteLate();
    }, options.stalledInterval ?? LOOK_MS);
    looks.unref();
    this.once('closing', () => {
      clearInterval(looks);
      closing.abort();
    });
  }

  /** Ends the delay of jobs that wrong clocks keep delayed. One look at a time; what fails is told as an error of this worker. */
  async promoteLate(): Promise<void> {
    this.#looking ??= this.backend.client
      .then((client) => this.#late.promote(client as unknown as Redis))
      .catch((error: unknown) => this.emit('error', error as Error))
      .finally(() => {
        this.#looking = undefined;
      });
    await this.#looking;
  }

  override extendJobLocks(...request: Parameters<Worker['extendJobLocks']>): ReturnType<Worker['extendJobLocks']> {
    this.#onRenewing(request[0]);
    return super.extendJobLocks(...request);
  }

  /** An answer whose job may be parsed. */
  private async bounded(answer: unknown, maxDataChars: number): Promise<unknown> {
    const found = await answer;
    if (!isList(found)) return found;
    const [job, id, ...rest] = found;
    if (!isList(job)) return found;
    const { fields, changed } = boundJob(job, maxDataChars);
    if (changed.size > 0) await this.replaceFields(String(id), changed);
    return [fields, id, ...rest];
  }

  private async replaceFields(jobId: string, changed: ReadonlyMap<string, string | undefined>): Promise<void> {
    const client = await this.backend.client;
    const key = this.toKey(jobId);
    for (const [field, text] of changed) {
      if (text === undefined) await client.hdel(key, field);
      else await client.hset(key, { [field]: text });
    }
  }

  protected override createJob(...[data, jobId]: Parameters<Worker['createJob']>): ReturnType<Worker['createJob']> {
    const job = this.parsed(data, jobId);
    job.opts = boundedOptions(job.opts, job.attemptsMade);
    return job;
  }

  private parsed(...[data, jobId]: Parameters<Worker['createJob']>): ReturnType<Worker['createJob']> {
    try {
      return super.createJob(data, jobId);
    } catch {
      return super.createJob({ ...data, data: 'null' }, jobId);
    }
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
