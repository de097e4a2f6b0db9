import { QUEUE_PREFIX } from '../queues/catalog.ts';
import { type Round, type Suite, spread } from './contract.ts';
import { type Latency, latency } from './throughput/latency.ts';
import { partsOfAJob } from './throughput/parts.ts';
import { startSide } from './throughput/side.ts';
import { openSite, type Site } from './throughput/site.ts';
import type { SideReport } from './throughput/worker.ts';

const JOBS = 10_000;
const WORKER = new URL('./throughput/worker.js', import.meta.url);
const CONCURRENCY = 64;

interface Costs {
  rounds: number;
  ms: number;
  mainCpuS: number;
  otherCpuS: number;
  redisCpuS: number;
}

/**
 * The whole pipeline with an executor that does nothing against bare BullMQ: same Redis, same preloaded jobs with a
 * lease each, same options, one worker process each.
 */
export const suite: Suite = {
  what: 'the whole pipeline with an executor that does nothing, against bare BullMQ; push-to-result latency',
  async open() {
    const site = await openSite();
    const costs = { writ: none(), bullmq: none(), bundled: none() };
    const times: Record<'writ' | 'bullmq', Latency[]> = { writ: [], bullmq: [] };
    return {
      cases: [
        {
          name: 'noop',
          kind: 'speed',
          peer: 'bullmq',
          ours: () => round('writ', site, costs.writ),
          theirs: () => round('bullmq', site, costs.bullmq),
        },
        {
          // Leases as the kernel gives them out for a batch.
          name: 'noop_bundled',
          kind: 'speed',
          peer: 'bullmq',
          ours: () => round('writ', site, costs.bundled, 'bundled'),
          theirs: () => round('bullmq', site, costs.bullmq, 'bundled'),
        },
        {
          name: 'latency100',
          kind: 'speed',
          peer: 'bullmq',
          ours: () => waited('writ', site, times.writ),
          theirs: () => waited('bullmq', site, times.bullmq),
        },
      ],
      async metrics() {
        return {
          ...perJob('noop', costs.writ),
          ...perJob('noop_bundled', costs.bundled),
          ...perJob('bullmq', costs.bullmq),
          ...(await partsOfAJob(site)),
          ...medians('latency.push_to_result', times.writ),
          ...medians('latency.bullmq', times.bullmq),
        };
      },
      close: () => site.close(),
    };
  },
};

async function round(side: 'writ' | 'bullmq', site: Site, costs: Costs, leases: 'own' | 'bundled' = 'own'): Promise<Round> {
  await site.redis.flushall();
  await site.preload('file', JOBS, leases);
  const worker = await startSide<SideReport>(WORKER, { side, home: site.home, queue: 'file', concurrency: CONCURRENCY, jobs: JOBS });
  const before = await redisCpu(site);
  const report = await worker.go();
  add(costs, report, (await redisCpu(site)) - before);
  const left = await site.redis.zcard(`${QUEUE_PREFIX}:file:failed`);
  return { value: report.ms, work: { done: report.done, failed: left } };
}

/** The median time from push to result at 100 tasks a second. */
async function waited(side: 'writ' | 'bullmq', site: Site, times: Latency[]): Promise<Round> {
  const found = await latency(side, site, 'file');
  times.push(found);
  return { value: found.p50, work: { answered: found.answered } };
}

function medians(name: string, times: readonly Latency[]): Record<string, number> {
  const median = (of: (one: Latency) => number): number => Math.round(spread(times.map(of)).median * 100) / 100;
  return { [`${name}_p50_ms`]: median(({ p50 }) => p50), [`${name}_p99_ms`]: median(({ p99 }) => p99) };
}

async function redisCpu({ redis }: Site): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = (name: string): number => Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]);
  return seconds('used_cpu_user') + seconds('used_cpu_sys');
}

function none(): Costs {
  return { rounds: 0, ms: 0, mainCpuS: 0, otherCpuS: 0, redisCpuS: 0 };
}

function add(costs: Costs, { ms, mainCpuS, otherCpuS }: SideReport, redisCpuS: number): void {
  costs.rounds += 1;
  costs.ms += ms;
  costs.mainCpuS += mainCpuS;
  costs.otherCpuS += otherCpuS;
  costs.redisCpuS += redisCpuS;
}

/** Means over all rounds, the warm-up included, in microseconds of CPU per job. */
function perJob(name: string, { rounds, ms, mainCpuS, otherCpuS, redisCpuS }: Costs): Record<string, number> {
  const jobs = rounds * JOBS;
  const micros = (seconds: number): number => Math.round((seconds / jobs) * 1e7) / 10;
  return {
    [`${name}.jobs_per_s`]: Math.round(jobs / (ms / 1000)),
    [`${name}.cpu_us_per_job.event_loop`]: micros(mainCpuS),
    [`${name}.cpu_us_per_job.other_threads`]: micros(otherCpuS),
    [`${name}.cpu_us_per_job.redis`]: micros(redisCpuS),
  };
}
