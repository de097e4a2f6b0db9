import { availableParallelism } from 'node:os';
import { workerData } from 'node:worker_threads';
import { threadSide } from '../../../adapters/threads/serve.ts';
import type { BuildJob, BuildOutcome, BuildProgress } from '../../../core/ports/index.ts';
import { nodeTreeFiles } from '../../io/tree/read.ts';
import { nodeSearchTree } from '../../io/tree/tree.ts';
import { createPace } from '../build/pace.ts';
import { runJob } from '../build/run-job.ts';
import { type BuildSite, createTables, type JobLimits, type JobRun } from '../build/site.ts';
import { diskIndexFiles } from '../storage/files-disk.ts';
import { loadHasher } from '../tokenize/hash.ts';
import { type BuildCalls, type BuildThreadData, FLAG } from './build-messages.ts';
import { lowerPriority } from './priority.ts';
import { createSecondReader } from './second-thread.ts';

/**
 * The thread that reads the tree and writes segments. A job holds it from begin to end: what ends or hastens a job are flags
 * in shared memory, on which it also sleeps.
 */

const { indexed, directory, keyHash, pace: settings, flags: shared } = workerData as BuildThreadData;
const flags = new Int32Array(shared);
const { tell, serve } = threadSide<BuildCalls, BuildProgress>();
const site: BuildSite = {
  tree: nodeSearchTree(),
  files: nodeTreeFiles(),
  index: diskIndexFiles({ directory, keyHash }),
  hasher: await loadHasher(),
  indexed,
  tables: createTables(indexed),
  keyHash: Buffer.from(keyHash, 'hex'),
  nowMs: Date.now,
  ...(availableParallelism() > 1 ? { second: createSecondReader(indexed) } : {}),
};

lowerPriority();
serve(() => ({ calls: { run }, throwing: 'death' }));

function run(job: BuildJob, limits: JobLimits): BuildOutcome {
  const pace = createPace(settings, {
    monotonicMs: () => performance.now(),
    sleep: (ms) => void Atomics.wait(flags, FLAG.stop, 0, ms),
    isStopped: () => Atomics.load(flags, FLAG.stop) !== 0,
    isBoosted: () => Atomics.load(flags, FLAG.boost) !== 0,
  });
  const jobRun: JobRun = { site, limits, pace, counted: { files: 0, bytes: 0 }, onProgress: tell };
  return runJob(jobRun, job);
}
