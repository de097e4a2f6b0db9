import { embeddedTarget } from '../src/adapters/redis/embedded-files.ts';
import { startTestCluster } from '../test/support/redis-cluster.ts';
import type { Case, Round, Suite } from './contract.ts';
import { type Field, openField, type Spread } from './scale/field.ts';
import { openSite } from './throughput/site.ts';

const JOBS = 6_000;
const FEWEST = 200;
const ROUNDS = 3;
const ONE: Spread = { workers: 1, shards: 1 };

interface Sums {
  jobs: number;
  ms: number;
  redisCpuS: number;
}

/**
 * The whole pipeline with an executor that does nothing, against the same with one worker process, and against the same
 * with one shard: on one Redis server, and on a cluster of three masters on the same machine.
 */
export const suite: Suite = {
  what: 'throughput against the number of worker processes and of shards, on one Redis and on a cluster of three',
  async open({ scale }) {
    const count = Math.max(FEWEST, Math.round(JOBS * scale));
    const site = await openSite();
    const cluster = await startTestCluster();
    const fields = { one: await openField(site, embeddedTarget(site.places.redis)), cluster: await openField(site, cluster.target()) };
    const sums = new Map<string, Sums>();
    // Kept apart by case: the machine may be faster in one minute than in the next, and only sides that alternate compare.
    const round = async (name: string, on: keyof typeof fields, spread: Spread): Promise<Round> => {
      const { ms, failed, redisCpuS } = await fields[on].run(spread, count);
      const key = `${name}.workers${spread.workers}.shards${spread.shards}`;
      const sum = sums.get(key) ?? { jobs: 0, ms: 0, redisCpuS: 0 };
      sums.set(key, { jobs: sum.jobs + count, ms: sum.ms + ms, redisCpuS: sum.redisCpuS + redisCpuS });
      return { value: ms, work: { jobs: count, failed } };
    };
    const compared = (name: string, peer: 'workers1' | 'shards1', on: keyof typeof fields, ours: Spread, theirs: Spread): Case => ({
      ...{ name, kind: 'speed', peer, rounds: ROUNDS },
      ours: () => round(name, on, ours),
      theirs: () => round(name, on, theirs),
    });
    return {
      cases: [
        compared('workers2', 'workers1', 'one', { workers: 2, shards: 1 }, ONE),
        compared('workers4', 'workers1', 'one', { workers: 4, shards: 1 }, ONE),
        compared('cluster.workers2', 'workers1', 'cluster', { workers: 2, shards: 4 }, { workers: 1, shards: 4 }),
        compared('cluster.shards4', 'shards1', 'cluster', { workers: 2, shards: 4 }, { workers: 2, shards: 1 }),
      ],
      metrics: async () => Object.fromEntries([...sums].flatMap(([key, sum]) => figures(key, sum))),
      async close() {
        for (const field of Object.values<Field>(fields)) field.close();
        await cluster.stop();
        await site.close();
      },
    };
  },
};

/** Means over all rounds, the warm-up included. */
function figures(key: string, { jobs, ms, redisCpuS }: Sums): readonly (readonly [string, number])[] {
  return [
    [`${key}.jobs_per_s`, Math.round(jobs / (ms / 1000))],
    [`${key}.redis_cpu_us_per_job`, Math.round((redisCpuS / jobs) * 1e7) / 10],
  ];
}
