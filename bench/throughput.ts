import { QUEUE_PREFIX } from '../queues/catalog.ts';
import type { Round, Suite } from './contract.ts';
import { latency } from './throughput/latency.ts';
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
    const costs = { writ: none(), bullmq: none() };
    return {
      cases: [
        {
          name: 'noop',
          kind: 'speed',
          peer: 'bullmq',
          ours: () => round('writ', site, costs.writ),
          theirs: () => round('bullmq', site, costs.bullmq),
        },
      ],
      async metrics() {
        const { p50, p99 } = await latency(site, 'file');
        return {
          ...perJob('noop', costs.writ),
          ...perJob('bullmq', costs.bullmq),
          ...(await partsOfAJob(site)),
          'latency.push_to_result_p50_ms': p50,
          'latency.push_to_result_p99_ms': p99,
        };
      },
      close: () => site.close(),
    };
  },
};

async function round(side: 'writ' | 'bullmq', site: Site, costs: Costs): Promise<Round> {
  await site.redis.flushall();
  await site.preload('file', JOBS);
  const worker = await startSide<SideReport>(WORKER, { side, home: site.home, queue: 'file', concurrency: CONCURRENCY, jobs: JOBS });
  const before = await redisCpu(site);
  const report = await worker.go();
  add(costs, report, (await redisCpu(site)) - before);
  const left = await site.redis.zcard(`${QUEUE_PREFIX}:file:failed`);
  return { value: report.ms, work: { done: report.done, failed: left } };
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
