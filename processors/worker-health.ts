import { readBacklog } from '../queues/backlog.ts';
import { probeWrite } from '../src/adapters/redis/policy.ts';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { systemClock } from '../src/core/clock.ts';
import { checkHealth } from '../src/observability/health-check.ts';
import { LOG_LINES } from '../src/observability/log-lines.ts';
import type { Logger } from '../src/observability/logging.ts';
import type { Metrics } from '../src/observability/metrics.ts';
import type { Finding, Health } from '../src/observability/metrics-socket.ts';
import { createDeafWatch, type DeafWatch } from './deaf-watch.ts';
import type { InFlight } from './in-flight.ts';

/** What of a queue is watched. */
export interface WatchedQueue {
  readonly queue: string;
  /** Of the shard. */
  readonly prefix: string;
  readonly concurrency: number;
  readonly inFlight: InFlight;
}

/** How a worker is: deaf to none of its queues (`/healthz`), able to write to Redis, and holding what its paths lead to (`/readyz`). */
export interface WorkerHealth extends Required<Health> {
  /** Watches a queue on this connection from its start to its stop. */
  watch(queue: WatchedQueue, connection: RedisConnection): DeafWatch;
  /** From now on it is ready only while this check resolves, with what there is to say. */
  require(name: string, check: () => Promise<string>): void;
  /** Asks for places (`PLACE` of the labels) at each look from now on; the named ones are shown as figures too. */
  watchPlaces(names: readonly string[], look: () => readonly Finding[]): void;
}

export function createWorkerHealth({ deafMs, metrics, log }: { readonly deafMs: number; readonly metrics: Metrics; readonly log: Logger }): WorkerHealth {
  const watches: DeafWatch[] = [];
  const required: (() => ReturnType<typeof checkHealth>)[] = [];
  const places = new Set<() => readonly Finding[]>();
  let redis: RedisConnection | undefined;
  const alive: Health['alive'] & object = async () =>
    watches.map(({ queue, deaf }) => ({ name: queue, ok: !deaf, detail: deaf ? 'jobs wait and none is taken' : 'is heard' }));
  return {
    alive,
    async ready() {
      const write = await checkHealth('redis', async () => {
        if (redis === undefined) throw new Error('is not connected yet');
        await probeWrite(redis);
        return 'takes writes';
      });
      return [write, ...(await Promise.all(required.map((check) => check()))), ...[...places].flatMap((look) => look()), ...(await alive())];
    },
    watchPlaces(names, look) {
      places.add(look);
      for (const place of names) metrics.follow('writ_place_exchanged', { place }, () => Number(look().some(({ name, ok }) => name === place && !ok)));
    },
    require: (name, check) => void required.push(() => checkHealth(name, check)),
    watch({ queue, prefix, concurrency, inFlight }, connection) {
      redis = connection;
      const look = () => readBacklog(connection, queue, prefix);
      const onDeaf = (found: object): void => log.error(found, LOG_LINES.workerDeaf.message);
      const watch = createDeafWatch({ queue, concurrency, deafMs, inFlight, look, clock: systemClock, onDeaf });
      watches.push(watch);
      metrics.follow('writ_worker_deaf', { queue }, () => Number(watches.some((one) => one.queue === queue && one.deaf)));
      return watch;
    },
  };
}
