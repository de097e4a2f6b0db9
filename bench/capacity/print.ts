import { type Costs, KINDS, type KindCosts } from './costs.ts';
import type { Load } from './load.ts';
import type { Needs } from './model.ts';
import type { Simulated } from './simulate.ts';
import type { Validation } from './validate.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Bytes for a person: `1.2 GB`. */
export function bytes(value: number): string {
  const at = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  return `${short(value / 1000 ** at)} ${UNITS[at]}`;
}

export function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}

const COLUMNS = {
  'worker loop': 'worker_loop_us',
  threads: 'worker_threads_us',
  searches: 'search_us',
  API: 'api_loop_us',
  'its threads': 'api_threads_us',
  kernel: 'kernel_loop_us',
  Redis: 'redis_us',
  'open in Redis': 'redis_open_bytes',
  'ended in Redis': 'redis_finished_bytes',
  journal: 'journal_bytes',
  index: 'index_bytes',
} satisfies Record<string, keyof KindCosts>;

/** What each kind costs: the median, and the range where it is more than a tenth away. */
export function costLines(costs: Costs): readonly string[] {
  const { machine } = costs;
  const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
  return [
    `measured ${costs.measured_at}, writ ${costs.version}, ${machine.cores} cores of ${machine.cpu}, ${machine.node}, load ${machine.load_average}`,
    `a durable write of 4 kB: ${short(costs.fsync_us.median)} µs (${short(costs.fsync_us.min)} to ${short(costs.fsync_us.max)})`,
    ...names.map((name) => {
      const cells = KINDS.map((kind) => {
        const { median, min, max } = costs.kinds[kind][COLUMNS[name]];
        return `${kind} ${short(median)} (${short(min)} to ${short(max)})`;
      });
      return `  ${name}, ${COLUMNS[name].endsWith('_us') ? 'µs of CPU' : 'bytes'} a task: ${cells.join(', ')}`;
    }),
  ];
}

export function needLines(load: Load, needs: Needs): readonly string[] {
  const { setup, cores, redisBytes, roleBytes, diskBytes } = needs;
  const mix = KINDS.filter((kind) => load.mix[kind] > 0).map((kind) => `${short(load.mix[kind] * 100)} % ${kind}`);
  const one = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
  return [
    `for ${short(load.tasksPerSecond)} tasks a second (${mix.join(', ')}), ${short(needs.peakTasksPerSecond)} at the peak, parts used to ${short(load.use * 100)} %:`,
    `  hosts          ${setup.hosts} of ${load.coresPerHost} cores, ${one(setup.pools, 'pool')}`,
    `  processes      ${one(setup.workers, 'worker')}, ${setup.apis} api, 1 kernel`,
    `  Redis          ${one(setup.masters, 'master')}, ${setup.replicas} replicas, ${one(setup.shards, 'shard')}`,
    `  cores, busy    ${short(cores.workers)} workers, ${short(cores.apis)} api, ${short(cores.kernel)} kernel, ${short(cores.redis)} Redis`,
    `  memory         ${bytes(roleBytes.workers)} workers, ${bytes(roleBytes.apis)} api, ${bytes(roleBytes.kernel)} kernel`,
    `  Redis memory   ${bytes(redisBytes.perMaster)} a master: ${bytes(redisBytes.open)} open for ${short(load.backlogS)} s, ${bytes(redisBytes.finished)} ended for ${short(load.ledgerDays)} days`,
    `  disk           ${bytes(diskBytes.journals)} journals of ${short(load.journalDays)} days, ${bytes(diskBytes.redis)} of Redis, ${bytes(diskBytes.taskIndex)} task index`,
    `  a year on it   ${bytes(diskBytes.tombstonesPerYear)} of what was done, ${bytes(diskBytes.kernelPerYear)} of kernel and audit log`,
    'what gives out, in this order, with what stands above:',
    ...needs.limits.map(({ part, tasksPerSecond, next }) => `  ${short(tasksPerSecond).padStart(9)} tasks/s  ${part}; the next: ${next}`),
    ...needs.beyond.map((part) => `beyond what one installation carries: ${part}`),
  ];
}

export function simulatedLine({ setup, tasks, p50S, p99S, slowest, carries }: Simulated): string {
  const ms = (seconds: number): string => `${short(seconds * 1000)} ms`;
  const told = carries ? `answered in ${ms(p50S)} (p50) and ${ms(p99S)} (p99)` : 'falls behind, and does not catch up at the peak';
  return `simulated ${setup}, ${short(tasks)} tasks at the peak: ${told}; longest at ${slowest.name} (p99 ${ms(slowest.p99S)})`;
}

export function validationLines({ name, tasks, cores, predicted, measured, speedRatio, cpuRatio }: Validation): readonly string[] {
  return [
    `${name}, ${tasks} tasks, ${short(cores)} cores free for it:`,
    `  predicted ${short(predicted.tasksPerSecond)} tasks/s (${predicted.first}) and ${short(predicted.cpuUs)} µs of CPU a task`,
    `  measured  ${short(measured.tasksPerSecond)} tasks/s (${short(speedRatio)} of it) and ${short(measured.cpuUs)} µs (${short(cpuRatio)} of it)`,
  ];
}
