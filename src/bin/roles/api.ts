import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { userSurroundings } from '../../../config/load.ts';
import { packageRoot, packageVersion } from '../../../config/package.ts';
import { openBoardQueues } from '../../../queues/board-queues.ts';
import { queueName } from '../../../queues/catalog.ts';
import { createConnection } from '../../../queues/connection.ts';
import { createIndexLane } from '../../../queues/index-lane.ts';
import { queueShards } from '../../../queues/shards.ts';
import { randomHex } from '../../adapters/crypto/random-hex.ts';
import { descriptorLimit } from '../../adapters/linux/descriptor-limit.ts';
import { checkAccess } from '../../adapters/redis/access.ts';
import { toWritError } from '../../adapters/redis/redis-error.ts';
import { redisTime } from '../../adapters/redis/redis-time.ts';
import { boundProviders } from '../../adapters/tool-bindings/providers.ts';
import { limitSearches } from '../../content-search/search/limit-searches.ts';
import { indexService } from '../../content-search/settings/index-service.ts';
import { indexRefusal } from '../../content-search/settings/refusals.ts';
import { type Lifecycle, lifecycle, sequential } from '../../core/lifecycle.ts';
import { createApiKeyStore } from '../../data-dir/api-keys.ts';
import { ensureDataDirectory } from '../../data-dir/data-directory.ts';
import { createLoginLinks } from '../../data-dir/login-links.ts';
import { openAudit } from '../../data-dir/open-audit.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';
import { openWebhookKey } from '../../data-dir/webhook-key.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import { tracePlanPushes } from '../../observability/pushes.ts';
import { followRotation, rotationTried } from '../../observability/rotation-trouble.ts';
import { webhookTelemetry } from '../../observability/webhooks.ts';
import { boardPlugin } from '../../surfaces/http/board/plugin.ts';
import { boardServicesOf } from '../../surfaces/http/board/retry-job.ts';
import { consolePlugin } from '../../surfaces/http/console/plugin.ts';
import type { Caller } from '../../surfaces/http/route.ts';
import { ROUTES } from '../../surfaces/http/routes/table.ts';
import { runbookPlugin } from '../../surfaces/http/runbooks.ts';
import { createHttpServer } from '../../surfaces/http/server.ts';
import type { HttpServices } from '../../surfaces/http/services.ts';
import { httpSettings } from '../../surfaces/http/settings.ts';
import type { OperatorServices } from '../../surfaces/shared/tasks/operator.ts';
import { outcomeForNotice } from '../../surfaces/shared/webhooks.ts';
import { createWebhooks } from '../../webhooks/io/webhooks.ts';
import { createApiMetrics } from '../api-metrics.ts';
import { buildId } from '../cli/resident-call.ts';
import { createResidentServer } from '../cli/resident-server.ts';
import { contentService } from '../content.ts';
import { apiCertificate } from '../http/certificate.ts';
import { createFedIndex } from '../http/fed-index.ts';
import { wireHttpServices } from '../http/services.ts';
import { lanesOf } from '../lanes.ts';
import { messageSearchOfRole, openMessageWriter } from '../messages.ts';
import { registryRoots } from '../plan/registry-roots.ts';
import { redisTarget } from '../redis-target.ts';
import { traceRole } from '../tracing.ts';
import type { RoleContext } from './context.ts';
import { serve } from './serve.ts';

/** Requests in hand get this long; streams are cut. */
const DRAIN_MS = 3_000;
/** Redis, SQLite, logs, workers' metrics, the board. */
const DESCRIPTORS_FOR_OTHERS = 500;

/** `writ api`: the HTTP API with docs, board and metrics. Resolves with the exit code. */
export function runApi(context: RoleContext, { indexHost = false }: { readonly indexHost?: boolean } = {}): Promise<number> {
  const drainMs = DRAIN_MS + (indexHost ? context.config.tools.search.index_shutdown_timeout_ms : 0);
  return serve(context, async () => sequential([await createApiRole(context), ...(await beside(context, indexHost))]), { role: 'api', drainMs });
}

/** Only who sees the same mounts may use an index, and a container has mounts of its own: there the host lives with the searches. */
async function beside(context: RoleContext, indexHost: boolean): Promise<readonly Lifecycle[]> {
  if (!indexHost || indexRefusal(context.config) !== undefined) return [];
  return [(await import('./index-host.ts')).createIndexHostRole(context)];
}

/** Everything of the api role, wired; nothing runs before `start`. */
export async function createApiRole({ config, places, log, reloadable }: RoleContext): Promise<Lifecycle> {
  ensureDataDirectory(places.dataDir);
  const target = redisTarget(config, places);
  const connection = createConnection(target, 'producer', (error) => log.warn({ err: error }, LOG_LINES.redis.message));
  const queueTrouble = (error: unknown): void => log.warn({ err: error }, LOG_LINES.queue.message);

  const providers = boundProviders(registryRoots(config));
  const index = createFedIndex({ config, places, target, providers, onTrouble: queueTrouble });
  const shards = queueShards(config.queue);
  const metrics = createApiMetrics({ config, places, connection });
  const tracing = await traceRole({ config, role: 'api', log, metrics: metrics.own });
  const { tracer } = tracing;
  const audit = openAudit(places, config.audit, (error) => rotationTried(log, 'audit', error));
  followRotation(metrics.own, log, ['log', 'audit']);
  const content = contentService({ config, log }, metrics.own);
  const contentSearch = limitSearches(content, config.tools.search.max_concurrent);
  const lane = createIndexLane({ pool: config.pool.id, connection, newId: randomHex });
  const contentIndex = indexService({ config, surroundings: userSurroundings(), lane });
  const messageSearch = messageSearchOfRole({ config, places, log }, metrics.own);
  const messages = await openMessageWriter({ config, connection, places, log, metrics: metrics.own });
  const wired = wireHttpServices({
    config,
    places,
    log,
    version: packageVersion(),
    index,
    audit,
    metrics: metrics.metrics,
    contentSearch,
    contentIndex,
    messages: messages.gateway,
    messageSearch,
    pushMetrics: metrics.own,
    ...{ tracer, reloadable },
  });
  const plans = { ...wired.services.plans, plans: tracePlanPushes(wired.services.plans.plans, queueName('plan', config.pool.id), tracer) };
  const telemetry = webhookTelemetry(metrics.own, log, Date.now);
  const key = () => openWebhookKey(places);
  const webhooks = createWebhooks(config.webhooks, {
    directory: places.webhooks,
    index,
    plans: wired.planEnds,
    outcome: (told) => outcomeForNotice(told, { tasks: wired.services.tasks, plans: wired.services.plans.plans }),
    key,
    clock: wired.services.clock,
    redisTime: () => redisTime(connection),
    ...telemetry,
  });
  const services: HttpServices = { ...wired.services, plans, webhooks };
  const boardServices: HttpServices = { ...services, plans: wired.services.plans, tasks: wired.boardTasks };
  const board = openBoardQueues({ connection, pool: config.pool.id, providers, lanes: lanesOf(config), shards });

  const commands = createResidentServer({
    directory: places.commands,
    build: buildId(),
    onError: (error) => log.warn({ err: error }, LOG_LINES.commandServer.message),
  });

  const tls = apiCertificate(config, log, metrics.own);
  const server = createHttpServer({
    services,
    routes: ROUTES,
    apiKeys: createApiKeyStore({ file: places.apiKeys }),
    loginLinks: createLoginLinks({ directory: places.loginLinks }),
    http: {
      ...httpSettings(config.http, connections(config.http.max_connections, log)),
      ...(tls.certificate === undefined ? {} : { certificate: tls.certificate }),
    },
    plugins: [
      boardPlugin({
        queues: board.queues,
        pool: board.pool,
        operate: (caller) => boardServicesOf(operatorServices(boardServices, caller), boardServices.plans),
        control: services.queues,
        audit,
        clock: services.clock,
        report: queueTrouble,
        translate: toWritError,
        links: [
          { text: 'Console', url: '/console' },
          { text: 'API', url: '/docs/' },
          { text: 'Metrics', url: '/metrics' },
        ],
      }),
      consolePlugin(services),
      runbookPlugin(path.join(packageRoot(), 'docs', 'runbooks')),
    ],
    home: (roles) => (roles.has('operate') ? '/board' : '/docs/'),
    log,
    meter: metrics.http,
    tracer,
  });
  const close = async (): Promise<void> => {
    await board[Symbol.asyncDispose]();
    await metrics.close();
    connection.disconnect();
  };
  return sequential([
    tracing.part,
    lifecycle(() => checkAccess(target), close),
    lane,
    ...messages.parts,
    messageSearch,
    ...wired.parts,
    ...content.parts,
    index,
    webhooks,
    ...tls.parts,
    server,
    commands,
    announced(places, server.url),
  ]);
}

/** Says where the API is, for the commands of this data directory; the port may be any. */
function announced({ apiUrl }: DataDirPaths, url: () => string): Lifecycle {
  return lifecycle(
    () => writeFile(apiUrl, `${url()}\n`, { mode: 0o600 }),
    () => rm(apiUrl, { force: true }),
  );
}

function operatorServices({ tasks, kernel, signatures, regrantByDefault, clock }: HttpServices, caller: Caller): OperatorServices {
  return { tasks, kernel: () => kernel(caller), signatures, regrantByDefault, clock };
}

/**
 * Slow clients may take every connection that there is. Those must leave descriptors for Redis, files and the next
 * honest call's answer, whatever was set.
 */
function connections(wanted: number, log: RoleContext['log']): number {
  const room = Math.max(1, (descriptorLimit() ?? Number.POSITIVE_INFINITY) - DESCRIPTORS_FOR_OTHERS);
  if (wanted > room) log.warn({ wanted, room }, LOG_LINES.descriptors.message);
  return Math.min(wanted, room);
}
