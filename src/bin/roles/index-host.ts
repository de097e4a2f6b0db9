import { userSurroundings } from '../../../config/load.ts';
import { packageVersion } from '../../../config/package.ts';
import { createConnection } from '../../../queues/connection.ts';
import { createIndexLane } from '../../../queues/index-lane.ts';
import { randomHex } from '../../adapters/crypto/random-hex.ts';
import { checkAccess } from '../../adapters/redis/access.ts';
import { compileDenied } from '../../content-search/enumerate/denied.ts';
import { createIndexSupervisor, type IndexSupervisor } from '../../content-search/ngram-index/serving/supervisor.ts';
import { contentSettings } from '../../content-search/settings/content-settings.ts';
import { hostsSettings } from '../../content-search/settings/host-settings.ts';
import { indexRefusal } from '../../content-search/settings/refusals.ts';
import { type Lifecycle, lifecycle, sequential } from '../../core/lifecycle.ts';
import type { IndexTask } from '../../core/ports/index.ts';
import { ensureDataDirectory } from '../../data-dir/data-directory.ts';
import { countIndexEvent, followIndexes, logIndexEvent } from '../../observability/content-index.ts';
import { checkHealth } from '../../observability/health-check.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import { createMetricsSocket, type Health } from '../../observability/metrics-socket.ts';
import { createRoleMetrics } from '../../observability/rotation-trouble.ts';
import { settingsFindings } from '../../reload/role-reload.ts';
import { redisTarget } from '../redis-target.ts';
import type { RoleContext } from './context.ts';
import { serve } from './serve.ts';

/** `writ index-host`: keeps the indexes of content searches. Resolves with the exit code. */
export function runIndexHost(context: RoleContext): Promise<number> {
  return serve(context, async () => createIndexHostRole(context), { role: 'index-host', drainMs: context.config.tools.search.index_shutdown_timeout_ms });
}

/** Everything of the role, wired; nothing runs before `start`. Where no index is wanted it does nothing, until it is asked to stop. */
export function createIndexHostRole(context: RoleContext): Lifecycle {
  const { config, places, log } = context;
  ensureDataDirectory(places.dataDir);
  const metrics = createRoleMetrics('index', packageVersion(), log);
  const shown = (health: Health): Lifecycle =>
    createMetricsSocket({ directory: places.metrics, metrics, health, onError: (error) => log.warn({ err: error }, LOG_LINES.metrics.message) });
  const refusal = indexRefusal(config);
  // Nothing to do is no fault: it is up, and says why.
  if (refusal !== undefined)
    return sequential([
      shown({ ready: async () => settingsFindings(context.reloadable) }),
      lifecycle(() => log.warn({ why: refusal }, LOG_LINES.indexStandsBy.message), noop),
    ]);
  // A pattern that fits nothing would protect nothing: the role says so before anything is indexed.
  compileDenied(config.tools.sandbox.denied_patterns);
  const warn = (error: unknown): void => log.warn({ err: error }, LOG_LINES.redis.message);
  const target = redisTarget(config, places);
  const connection = createConnection(target, 'producer', warn);
  const worker = createConnection(target, 'worker', warn);
  const content = contentSettings(config, userSurroundings());
  let isFollowed = false;
  const supervisor: IndexSupervisor = createIndexSupervisor({
    content,
    hosts: hostsSettings(config.tools.search, content),
    lane: () =>
      createIndexLane({
        pool: config.pool.id,
        connection,
        worker,
        newId: randomHex,
        onFailed: ({ keyHash, kind }: IndexTask, job, error) => log.warn({ keyHash, kind, job, err: error }, LOG_LINES.indexTaskFailed.message),
        onError: (error) => log.warn({ err: error }, LOG_LINES.queue.message),
      }),
    report(root, event) {
      countIndexEvent(metrics, event);
      logIndexEvent(log, root, event);
    },
    onReady(roots) {
      // Before that there is no host whose state could be shown.
      if (!isFollowed) followIndexes(metrics, () => supervisor.statuses());
      isFollowed = true;
      log.info({ roots }, LOG_LINES.indexHosted.message);
    },
    onStandBy: (why) => log.warn({ why }, LOG_LINES.indexStandsBy.message),
  });
  const health = { ready: async () => [await checkHealth('redis', () => connection.ping()), ...settingsFindings(context.reloadable)] };
  const close = (): void => {
    connection.disconnect();
    worker.disconnect();
  };
  return sequential([lifecycle(() => checkAccess(target), close), shown(health), supervisor]);
}

function noop(): void {}
