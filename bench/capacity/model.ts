import { type Costs, meanTask } from './costs.ts';
import type { Load } from './load.ts';

const MICROS = 1e6;
const GB = 1e9;
const DAY_S = 86_400;
/** What is kept for ever of a task whose answer is forgotten (docs/operations.md, Retention). */
const TOMBSTONE_BYTES = 100;
/** An append-only file is rewritten when it has doubled, beside the old one: three times the data at the most. */
const AOF_FACTOR = 3;
/** Redis refuses tasks from here on (`redis.high_water`). */
const HIGH_WATER = 0.9;
const SHARDS_PER_MASTER = 4;
const MOST_SHARDS = 64;

/** How many of each part there are. */
export interface Setup {
  readonly workers: number;
  readonly apis: number;
  readonly masters: number;
  /** Hosts with a journal of their own. */
  readonly pools: number;
  /** Of all hosts together. */
  readonly cores: number;
  readonly searchSlots: number;
}

/** A part, and the tasks a second at which it is full. */
export interface Limit {
  readonly part: string;
  readonly tasksPerSecond: number;
  /** What one more of it is. */
  readonly next: string;
}

/** CPU microseconds of the mean task, of everything together. */
export function totalMicros(costs: Costs, mix: Load['mix']): number {
  const task = meanTask(costs, mix);
  return cpuParts(task).reduce((sum, micros) => sum + micros, 0);
}

function cpuParts(task: ReturnType<typeof meanTask>): readonly number[] {
  return [...workerSide(task), task.api_loop_us, task.api_threads_us, task.kernel_loop_us, task.kernel_threads_us, task.redis_us];
}

function workerSide(task: ReturnType<typeof meanTask>): readonly number[] {
  return [task.worker_loop_us, task.worker_threads_us, task.search_us];
}

/** Where each part of a setup is full, the first to give out first. A part that the mix does not use is not in it. */
export function limits(costs: Costs, mix: Load['mix'], setup: Setup): readonly Limit[] {
  const task = meanTask(costs, mix);
  const part = (name: string, count: number, micros: number, next: string): readonly Limit[] =>
    micros <= 0 ? [] : [{ part: name, tasksPerSecond: (count * MICROS) / micros, next }];
  return [
    ...part('event loops of the workers', setup.workers, task.worker_loop_us, 'a worker process'),
    ...part('search processes', setup.workers * setup.searchSlots, task.search_us, 'a worker process, or worker.search_concurrency'),
    ...part('event loops of the APIs', setup.apis, task.api_loop_us, 'an API process'),
    ...part('event loop of the kernel', 1, task.kernel_loop_us, 'none: there is one kernel; leases in batches, or for plans'),
    ...part('Redis', setup.masters, task.redis_us, 'a master with its replica, and shards'),
    ...part('journals', setup.pools, task.commits * task.commit_us, 'a pool on a host with a disk of its own'),
    ...part('processors', setup.cores, totalMicros(costs, mix), 'a core'),
  ].sort((a, b) => a.tasksPerSecond - b.tasksPerSecond);
}

function roomOf(load: Load, costs: Costs): number {
  return load.redisGb * GB * HIGH_WATER - costs.resident.redis.median;
}

/** The peak whose mean, kept up for as long as the ledger remembers, fills the memory of Redis. */
function memoryLimit(load: Load, costs: Costs, masters: number): Limit {
  const task = meanTask(costs, load.mix);
  const bytesPerPeak = load.backlogS * task.redis_open_bytes + (load.ledgerDays * DAY_S * task.redis_finished_bytes) / load.peak;
  return {
    part: 'memory of Redis',
    tasksPerSecond: (masters * roomOf(load, costs)) / bytesPerPeak,
    next: 'a master, more memory, or fewer days in the ledger',
  };
}

/** Everything that a load needs. Bytes are bytes, cores are whole cores at full use. */
export interface Needs {
  readonly peakTasksPerSecond: number;
  readonly setup: Setup & { readonly hosts: number; readonly replicas: number; readonly shards: number };
  readonly cores: { readonly workers: number; readonly apis: number; readonly kernel: number; readonly redis: number };
  readonly redisBytes: { readonly open: number; readonly finished: number; readonly perMaster: number };
  readonly roleBytes: { readonly workers: number; readonly apis: number; readonly kernel: number };
  readonly diskBytes: {
    readonly journals: number;
    readonly tombstonesPerYear: number;
    readonly kernelPerYear: number;
    readonly taskIndex: number;
    readonly redis: number;
  };
  /** With this setup, by the tasks a second of the peak: the first to give out first. */
  readonly limits: readonly Limit[];
  /** What no number of machines carries: there is one of it, or as many as there may be. */
  readonly beyond: readonly string[];
}

export function needsOf(load: Load, costs: Costs): Needs {
  const task = meanTask(costs, load.mix);
  const rate = load.tasksPerSecond;
  const peak = rate * load.peak;
  const busy = (micros: number): number => (peak * micros) / MICROS;
  const enough = (busyThreads: number): number => Math.max(1, Math.ceil(busyThreads / load.use - 1e-9));

  const workers = Math.max(enough(busy(task.worker_loop_us)), enough(busy(task.search_us) / load.searchSlots));
  const apis = enough(busy(task.api_loop_us));
  const redisBytes = {
    open: peak * load.backlogS * task.redis_open_bytes,
    finished: rate * load.ledgerDays * DAY_S * task.redis_finished_bytes,
  };
  const room = roomOf(load, costs);
  const masters = Math.max(enough(busy(task.redis_us)), Math.ceil((redisBytes.open + redisBytes.finished) / room));
  const cores = {
    workers: busy(workerSide(task).reduce((sum, micros) => sum + micros, 0)),
    apis: busy(task.api_loop_us + task.api_threads_us),
    kernel: busy(task.kernel_loop_us + task.kernel_threads_us),
    redis: busy(task.redis_us),
  };
  const pools = Math.max(enough(busy(task.commits * task.commit_us)), Math.ceil(cores.workers / load.use / load.coresPerHost));
  const all = cores.workers + cores.apis + cores.kernel + cores.redis;
  const hosts = Math.max(pools, Math.ceil(all / load.use / load.coresPerHost));
  const setup = {
    ...{ workers: Math.max(workers, pools), apis, masters, pools, searchSlots: load.searchSlots },
    ...{ cores: hosts * load.coresPerHost, hosts, replicas: masters === 1 ? 0 : Math.max(3, masters) },
    shards: masters === 1 ? 1 : Math.min(MOST_SHARDS, Math.max(masters, 3) * SHARDS_PER_MASTER),
  };
  // A cluster has three masters at least.
  const standing = { ...setup, masters: masters === 1 ? 1 : Math.max(3, masters) };
  const perYear = rate * 365 * DAY_S;
  return {
    peakTasksPerSecond: peak,
    setup: standing,
    cores,
    redisBytes: { ...redisBytes, perMaster: (redisBytes.open + redisBytes.finished) / standing.masters + costs.resident.redis.median },
    roleBytes: {
      workers: standing.workers * (costs.resident.worker.median + (task.search_us > 0 ? load.searchSlots * costs.resident.search.median : 0)),
      apis: apis * costs.resident.api.median,
      kernel: costs.resident.kernel.median,
    },
    diskBytes: {
      journals: rate * load.journalDays * DAY_S * task.journal_bytes,
      tombstonesPerYear: perYear * TOMBSTONE_BYTES,
      kernelPerYear: perYear * task.kernel_bytes,
      taskIndex: load.indexTasks * task.index_bytes,
      redis: AOF_FACTOR * (redisBytes.open + redisBytes.finished),
    },
    limits: [...limits(costs, load.mix, standing), memoryLimit(load, costs, standing.masters)].sort((a, b) => a.tasksPerSecond - b.tasksPerSecond),
    beyond: [
      ...(busy(task.kernel_loop_us) > load.use ? ['the event loop of the one kernel, which signs each lease'] : []),
      ...(masters > MOST_SHARDS ? [`${masters} Redis masters, where ${MOST_SHARDS} shards are the most; fewer days in the ledger need fewer`] : []),
    ],
  };
}
