import { packageVersion } from '../../config/package.ts';
import type { Config } from '../../config/schema.ts';
import { createStatusReader } from '../../queues/queue-status.ts';
import { queueShards } from '../../queues/shards.ts';
import type { RedisConnection } from '../adapters/redis/redis-connection.ts';
import { boundProviders } from '../adapters/tool-bindings/providers.ts';
import { wantsIndex } from '../content-search/settings/refusals.ts';
import { systemClock } from '../core/clock.ts';
import type { DataDirPaths } from '../data-dir/paths.ts';
import { createExporter } from '../observability/exporter.ts';
import { createMetricsGatherer, type MetricsGatherer } from '../observability/gatherer.ts';
import { createHttpMeter, type HttpMeter } from '../observability/http-requests.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import { lanesOf } from './lanes.ts';
import { registryRoots } from './plan/registry-roots.ts';

export interface ApiMetrics extends MetricsGatherer {
  readonly http: HttpMeter;
  /** Those of this process, for what else it does. */
  readonly own: Metrics;
  close(): Promise<void>;
}

/** The metrics of the api role: its own, those of queues and Redis, and those of all processes of the data directory. */
export function createApiMetrics(options: {
  readonly config: Config;
  readonly places: DataDirPaths /** Of the kind `producer`; the owner closes it. */;
  readonly connection: RedisConnection;
  /** How long Redis, and how long another process, may take to answer, milliseconds. */
  readonly timeBoxMs?: number;
}): ApiMetrics {
  const { config, places, connection, timeBoxMs } = options;
  const box = timeBoxMs === undefined ? {} : { timeoutMs: timeBoxMs };
  const own = createMetrics('api', packageVersion());
  const reader = createStatusReader({
    connection,
    pool: config.pool.id,
    providers: boundProviders(registryRoots(config)),
    workers: places.workers,
    lanes: lanesOf(config),
    shards: queueShards(config.queue),
  });
  own.set('writ_index_wanted', {}, Number(wantsIndex(config)));
  const refresh = createExporter({ metrics: own, read: reader.figures, clock: systemClock, ...box });
  return {
    ...createMetricsGatherer({ directory: places.metrics, own, refresh, ...box }),
    http: createHttpMeter(own),
    own,
    close: reader.close,
  };
}
