import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { packageVersion } from '../../../config/package.ts';
import { audienceIn } from '../../../queues/audience.ts';
import { queueName } from '../../../queues/catalog.ts';
import { createConnection } from '../../../queues/connection.ts';
import { inlineEd25519, libraryOf } from '../../adapters/crypto/inline.ts';
import { createCryptoPool } from '../../adapters/crypto/pool.ts';
import { createRedisRevocations } from '../../adapters/redis/revocations.ts';
import { openKernelStore } from '../../adapters/sqlite/kernel-store/kernel-store.ts';
import { BOUNDS } from '../../contracts/index.ts';
import { systemClock } from '../../core/clock.ts';
import { type Lifecycle, lifecycle, sequential } from '../../core/lifecycle.ts';
import { ensureDataDirectory } from '../../data-dir/data-directory.ts';
import { jwksFile, readPrivateKey } from '../../data-dir/key-files.ts';
import { planLogic } from '../../executors/plan/index.ts';
import { createApprovalRegister, createKernel, createKernelServer, createSchedules, deriveRoutes, kernelRoutes, published } from '../../kernel/index.ts';
import { createKeyring } from '../../lease/index.ts';
import { countLeases } from '../../observability/counting.ts';
import { checkHealth } from '../../observability/health-check.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import { createMetricsSocket } from '../../observability/metrics-socket.ts';
import { createRoleMetrics } from '../../observability/rotation-trouble.ts';
import { followBindings } from '../../reload/live-bindings.ts';
import { settingsFindings } from '../../reload/role-reload.ts';
import { firingLane } from '../../surfaces/shared/tasks/firing-lane.ts';
import { openPlanSide } from '../plan/plan-side.ts';
import { registryRoots } from '../plan/registry-roots.ts';
import { openProducerSide } from '../producer-side.ts';
import { redisTarget } from '../redis-target.ts';
import { openResults } from '../results.ts';
import type { RoleContext } from './context.ts';
import { serve } from './serve.ts';

/** The kernel answers in milliseconds; what is in hand may end. */
const DRAIN_MS = 2_000;

/** A plan of a thousand steps, shown whole. */
const MAX_DERIVE_BYTES = BOUNDS.deriveBody;

/** `writ kernel`: the only holder of the signing key, on its unix socket. Resolves with the exit code. */
export function runKernel(context: RoleContext): Promise<number> {
  return serve(context, () => createKernelRole(context), { role: 'kernel', drainMs: DRAIN_MS });
}

/** Everything of the kernel role, wired; nothing runs before `start`. */
export async function createKernelRole({ config, places, log, reloadable }: RoleContext): Promise<Lifecycle> {
  ensureDataDirectory(places.dataDir);
  const clock = systemClock;
  const limits = () => (reloadable?.settings.current ?? config).lease;
  const target = redisTarget(config, places);
  const redisTrouble = (error: Error): void => log.warn({ err: error }, LOG_LINES.redis.message);
  const redis = createConnection(target, 'ledger', redisTrouble);
  const store = openKernelStore(path.dirname(places.kernelStore));
  const library = config.crypto.implementation === 'node' ? 'node' : 'best';
  const ed25519 = createCryptoPool({ threads: config.crypto.threads, library });
  const report = (problem: string): void => log.error({ problem }, LOG_LINES.kernelProblem.message);
  const { bindings } = followBindings(registryRoots(config), reloadable?.settings);
  const kernel = createKernel({
    store,
    schedules: store.schedules,
    approvals: store.approvals,
    key: await readPrivateKey(places.kernelKey),
    kernelKeyring: createKeyring({ source: jwksFile(places.kernelKeyring), use: 'lease', clock }),
    executorKeyring: createKeyring({ source: jwksFile(places.executorKeyring), use: 'result', clock }),
    ed25519,
    config: {
      issuer: config.lease.issuer,
      get ttl() {
        return limits().default_ttl_s;
      },
      get maxTtl() {
        return limits().max_ttl_s;
      },
      get bundles() {
        return limits().bundles;
      },
      audienceOf: audienceIn(config.pool.id, bindings),
    },
    plans: { logic: planLogic, bindings, ed25519: inlineEd25519(await libraryOf(library)), queue: queueName('plan', config.pool.id) },
    clock,
    randomId: randomUUID,
    feed: createRedisRevocations(redis),
    report,
  });
  const metrics = createRoleMetrics('kernel', packageVersion(), log);
  const health = {
    ready: async () => [
      await checkHealth('redis', () => redis.ping()),
      await checkHealth('revocations', () => published(kernel)),
      ...settingsFindings(reloadable),
    ],
  };
  const shown = createMetricsSocket({ directory: places.metrics, metrics, health, onError: (error) => log.warn({ err: error }, LOG_LINES.metrics.message) });
  // What waits for Redis to publish a revocation ends with the connection; it is published after the next start.
  const signing = lifecycle(kernel.start, async () => {
    redis.disconnect();
    await kernel.stop();
  });
  const counted = countLeases(kernel, metrics);
  const connection = createConnection(target, 'producer', redisTrouble);
  const results = openResults(places, async () => ed25519);
  const wiring = { config, places, connection, results, signals: () => Promise.reject(new Error('nobody waits here')) };
  const lane = firingLane(openProducerSide(wiring), openPlanSide(wiring), connection);
  const { registry, alarm } = createSchedules({ store: store.schedules, kernel: { ...counted, judgePlan: kernel.judgePlan }, lane, clock, report });
  const registers = { schedules: registry, approvals: createApprovalRegister(store.approvals, clock) };
  const server = createKernelServer({ routes: (app, bytes) => kernelRoutes(app, counted, bytes, registers), socketPath: places.kernelSocket, report });
  const derive = createKernelServer({
    routes: (app, maxBytes) => deriveRoutes(app, counted, maxBytes),
    socketPath: places.deriveSocket,
    maxBodyBytes: MAX_DERIVE_BYTES,
    report,
  });
  return sequential([lifecycle(() => undefined, store.close), ed25519, signing, alarm, server, derive, shown]);
}
