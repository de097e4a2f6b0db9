import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageVersion } from '../../config/package.ts';
import { spread } from '../contract.ts';
import { type Costs, type Figure, KINDS, type Kind, KindCosts } from './costs.ts';
import { type Installation, openInstallation } from './installation.ts';
import { type Snapshot, snapshot } from './snapshot.ts';
import { BATCHES } from './work.ts';

/** Tasks of a round. */
const SIZES = { move: 3000, search: 150, content: 150, step: 500 } satisfies Record<Kind, number>;
const FEWEST = 20;
/** The task index follows the queues; what it still has to do belongs to the batch. */
const SETTLE_MS = 1000;
const WRITES = 200;
const PAGE_BYTES = 4096;

export interface MeasureOptions {
  readonly rounds: number;
  readonly scale: number;
  readonly tell: (line: string) => void;
}

/** Measures what each kind of work costs on this machine: a round to warm up, then `rounds`, the kinds in turns. Minutes. */
export async function measureCosts({ rounds, scale, tell }: MeasureOptions): Promise<Costs> {
  const installation = await openInstallation(1);
  try {
    const idle = await snapshot(installation);
    const found: Record<Kind, PlainCosts[]> = { move: [], search: [], content: [], step: [] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const kind of KINDS) {
        const costs = await oneRound(installation, kind, `${kind}-${round}`, Math.max(FEWEST, Math.round(SIZES[kind] * scale)));
        tell(`${round === 0 ? 'warm-up' : `round ${round}`}: ${kind} ${Math.round(cpuOf(costs))} µs of CPU, journal ${Math.round(costs.journal_bytes)} bytes`);
        if (round > 0) found[kind].push(costs);
      }
    }
    const { workers, api, kernel } = await snapshot(installation);
    const once = (value: number): Figure => ({ median: value, min: value, max: value });
    const { length: cores, 0: first } = cpus();
    return {
      measured_at: new Date().toISOString(),
      version: packageVersion(),
      machine: { cores, cpu: first?.model ?? 'unknown', node: process.version, load_average: Math.round((loadavg()[0] ?? 0) * 10) / 10 },
      rounds,
      kinds: { move: figures(found.move), search: figures(found.search), content: figures(found.content), step: figures(found.step) },
      resident: {
        worker: once(workers.residentBytes),
        search: once(workers.childResidentBytes),
        api: once(api.residentBytes),
        kernel: once(kernel.residentBytes),
        redis: once(idle.redisBytes),
      },
      fsync_us: fsyncTime(installation.site.home),
    };
  } finally {
    await installation.close();
  }
}

type PlainCosts = Record<keyof KindCosts, number>;

async function oneRound(installation: Installation, kind: Kind, name: string, tasks: number): Promise<PlainCosts> {
  const batch = BATCHES[kind](installation.ground, name, tasks);
  const before = await snapshot(installation);
  await installation.fill(batch);
  await delay(SETTLE_MS);
  const lying = await snapshot(installation);
  await installation.drain(batch);
  await delay(SETTLE_MS);
  const done = await snapshot(installation);
  await installation.tidy(batch);
  const { redisBytes } = await snapshot(installation);
  const after = { ...done, redisBytes };
  // A plan is one job on the queue, whatever its steps are.
  const perTask = (of: (state: Snapshot) => number, from = before, to = after): number => Math.max(0, (of(to) - of(from)) / batch.count);
  const commits = perTask((state) => state.commits);
  return {
    worker_loop_us: perTask(({ workers }) => workers.loopUs),
    worker_threads_us: perTask(({ workers }) => workers.threadsUs),
    search_us: perTask(({ workers }) => workers.childrenUs),
    api_loop_us: perTask(({ api }) => api.loopUs),
    api_threads_us: perTask(({ api }) => api.threadsUs),
    kernel_loop_us: perTask(({ kernel }) => kernel.loopUs),
    kernel_threads_us: perTask(({ kernel }) => kernel.threadsUs),
    redis_us: perTask(({ redisCpuUs }) => redisCpuUs),
    redis_open_bytes: perTask(({ redisBytes }) => redisBytes, before, lying),
    redis_finished_bytes: perTask(({ redisBytes }) => redisBytes),
    journal_bytes: perTask(({ journalBytes }) => journalBytes),
    kernel_bytes: perTask(({ kernelBytes }) => kernelBytes),
    index_bytes: perTask(({ indexBytes }) => indexBytes),
    commits,
    commit_us: commits === 0 ? 0 : perTask(({ commitUs }) => commitUs) / commits,
  };
}

function cpuOf(costs: PlainCosts): number {
  const names = Object.keys(costs).filter((name) => /_us$/.test(name) && name !== 'commit_us') as (keyof KindCosts)[];
  return names.reduce((sum, name) => sum + costs[name], 0);
}

function figures(rounds: readonly PlainCosts[]): KindCosts {
  return KindCosts.parse(Object.fromEntries(KindCosts.keyof().options.map((name) => [name, figure(rounds.map((round) => round[name]))])));
}

function figure(values: readonly number[]): Figure {
  const { median, min, max } = spread(values);
  const tenth = (value: number): number => Math.round(value * 10) / 10;
  return { median: tenth(median), min: tenth(min), max: tenth(max) };
}

/** One page written and made durable, again and again, with nothing else on the way. */
function fsyncTime(home: string): Figure {
  mkdirSync(home, { recursive: true });
  const file = openSync(path.join(home, 'fsync-probe'), 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const times = Array.from({ length: WRITES }, () => {
    const start = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return (performance.now() - start) * 1000;
  });
  closeSync(file);
  return figure(times);
}
