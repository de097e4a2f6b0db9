import { type IRedisTransaction, type JobJson, type JobsOptions, type Queue, RedisQueueBackend } from 'bullmq';
import { addStandardJob } from 'bullmq/dist/cjs/scripts/addStandardJob-9.js';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';

/** A job as a producer adds it. */
export interface NewJob {
  readonly name: string;
  readonly data: unknown;
  /** `data` as JSON. */
  readonly text: string;
  /** Neither delay, priority, parent nor deduplication: those have scripts of their own. */
  readonly opts: Pick<JobsOptions, 'jobId' | 'attempts' | 'backoff' | 'removeOnComplete' | 'removeOnFail'>;
}

/** Redis serves nobody else while one call runs: about 30 µs for a job. */
const JOBS_PER_CALL = 100;
const CHARS_PER_CALL = 1024 * 1024;

/** Arguments of BullMQ's script behind its keys: packed arguments, data, packed options. */
const ARGUMENTS = 3;

/** BullMQ's own script, once for each job of a call: what it does is BullMQ's business, and changes with it. */
const LUA = `
local function add(KEYS, ARGV)
${addStandardJob.content}
end
local added = {}
for at = 1, #ARGV, ${ARGUMENTS} do
  added[#added + 1] = add(KEYS, { ARGV[at], ARGV[at + 1], ARGV[at + 2] })
end
return added`;

/** Adds many jobs to one queue, in their order. */
export type AddJobs = (queue: Queue<unknown>, jobs: readonly NewJob[]) => Promise<void>;

/**
 * Adds jobs as BullMQ's `addBulk` does, with its script and its arguments, but a hundred in one command and without an
 * object of the class Job for each. An id that exists is left as it is. An error may leave a part of the jobs added.
 *
 * @param connection the queues' own
 */
export function jobAdder(connection: RedisConnection): AddJobs {
  return async (queue, jobs) => {
    const { backend } = queue;
    // Queues that live in memory (the simulation) take the ordinary way.
    if (!(backend instanceof RedisQueueBackend)) return void (await queue.addBulk(jobs.map(({ name, data, opts }) => ({ name, data, opts }))));
    const scripted = withScript(connection);
    for (const part of parts(jobs)) {
      const calls = part.map((job) => argumentsOf(backend, job));
      const keys = calls[0]?.slice(0, addStandardJob.keys) ?? [];
      const ids = await scripted.writAddJobs(...keys, ...calls.flatMap((args) => args.slice(addStandardJob.keys)));
      const refused = ids.find((id) => typeof id === 'number');
      if (refused !== undefined) throw new Error(`BullMQ's addStandardJob answered ${refused}`);
    }
  };
}

type ScriptedConnection = RedisConnection & { writAddJobs(...args: readonly (string | Buffer)[]): Promise<readonly (string | number)[]> };

function withScript(connection: RedisConnection): ScriptedConnection {
  if (!('writAddJobs' in connection)) connection.defineCommand('writAddJobs', { lua: LUA, numberOfKeys: addStandardJob.keys });
  return connection as ScriptedConnection;
}

function* parts(jobs: readonly NewJob[]): Generator<readonly NewJob[]> {
  let part: NewJob[] = [];
  let chars = 0;
  for (const job of jobs) {
    if (part.length === JOBS_PER_CALL || (part.length > 0 && chars + job.text.length > CHARS_PER_CALL)) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(job);
    chars += job.text.length;
  }
  if (part.length > 0) yield part;
}

/** What BullMQ itself would send for this job: it is asked with a client that only keeps the arguments. */
function argumentsOf(backend: RedisQueueBackend, { name, text, opts }: NewJob): readonly (string | Buffer)[] {
  const { jobId = '' } = opts;
  const job: JobJson = {
    id: jobId,
    name,
    data: text,
    opts,
    progress: 0,
    attemptsMade: 0,
    attemptsStarted: 0,
    stalledCounter: 0,
    timestamp: Date.now(),
    failedReason: '',
    returnvalue: '',
  };
  let kept: readonly (string | Buffer)[] = [];
  const keeper = {
    runCommand: (_name: string, args: readonly (string | Buffer)[]) => {
      kept = args;
    },
  };
  void backend.addJobToTransaction(keeper as unknown as IRedisTransaction, job, jobId);
  return kept;
}
