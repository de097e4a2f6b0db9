import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { openBoardQueues } from '../../../../../queues/board-queues.ts';
import { createQueueControl } from '../../../../../queues/queue-control.ts';
import { inlineEd25519 } from '../../../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../../../src/adapters/crypto/node-crypto.ts';
import { toWritError } from '../../../../../src/adapters/redis/redis-error.ts';
import { createRedisSignals } from '../../../../../src/adapters/redis/signals.ts';
import { planSignatures } from '../../../../../src/bin/plan/signatures.ts';
import { createKernelRole } from '../../../../../src/bin/roles/kernel.ts';
import { signatureReader } from '../../../../../src/bin/signatures.ts';
import type { Role, TaskRecord } from '../../../../../src/contracts/index.ts';
import { systemClock } from '../../../../../src/core/clock.ts';
import type { Lifecycle } from '../../../../../src/core/lifecycle.ts';
import type { OperatorAction, Plans } from '../../../../../src/core/ports/index.ts';
import { createApiKeyStore } from '../../../../../src/data-dir/api-keys.ts';
import { createAuditLog } from '../../../../../src/data-dir/audit-log.ts';
import { createLoginLinks } from '../../../../../src/data-dir/login-links.ts';
import { createKernelConnection, kernelClient } from '../../../../../src/kernel/index.ts';
import { createLogger } from '../../../../../src/observability/logging.ts';
import { BOARD_PATH, type BoardOptions, boardPlugin } from '../../../../../src/surfaces/http/board/plugin.ts';
import { boardServicesOf } from '../../../../../src/surfaces/http/board/retry-job.ts';
import { consolePlugin } from '../../../../../src/surfaces/http/console/plugin.ts';
import type { HttpSettings } from '../../../../../src/surfaces/http/options.ts';
import { createHttpServer } from '../../../../../src/surfaces/http/server.ts';
import type { HttpServices } from '../../../../../src/surfaces/http/services.ts';
import type { OperatorServices } from '../../../../../src/surfaces/shared/tasks/operator.ts';
import { type Rig, startRig } from '../../../../support/rig.ts';
import { coreServices } from '../core-site.ts';

/** The board behind the real server, with real keys, audit log and Redis; kernel and worker on demand. */
export interface BoardRig extends AsyncDisposable {
  readonly rig: Rig;
  readonly redis: Redis;
  readonly url: string;
  /** What was written into the audit log. */
  readonly audit: OperatorAction[];
  readonly auditFile: string;
  /** What the task index lists. */
  readonly indexed: TaskRecord[];
  readonly options: BoardOptions;
  /** The secret of a new key. */
  key(roles: readonly Role[], name?: string): Promise<string>;
  /** With a key of olga's, who has this role. */
  call(method: string, path: string, init?: RequestInit, role?: Role): Promise<Response>;
  startKernel(): Promise<Lifecycle>;
}

const SETTINGS: HttpSettings = {
  host: '127.0.0.1',
  port: 0,
  allowedHosts: [],
  maxBodyBytes: 1_048_576,
  requestTimeoutMs: 30_000,
  maxConnections: 1_000,
  rateLimit: 100_000,
  loginLimit: 100,
  sessionMs: 3_600_000,
};

/** An installation that runs already; it is stopped by whoever started it. */
export interface Running {
  readonly rig: Rig;
  readonly plans: Plans;
}

export async function startBoardRig(running?: Running): Promise<BoardRig> {
  const home = mkdtempSync(join(tmpdir(), 'writ-board-'));
  const rig = running?.rig ?? (await startRig());
  const redis = await rig.redis.client('producer');
  const boardQueues = openBoardQueues({ connection: redis, pool: 'default' });
  const client = createKernelConnection(rig.places.kernelSocket);
  const signals = createRedisSignals(await rig.redis.client('subscriber'));
  const signatures = signatureReader({ config: rig.config, places: rig.places, ed25519: inlineEd25519(nodeEd25519()), feed: async () => rig.feed });
  const doors = (who: string): OperatorServices => ({
    tasks: { enqueue: rig.enqueue, ledger: rig.ledger, results: rig.results, signals, journal: undefined },
    kernel: async () => kernelClient(client, who),
    signatures: async () => signatures,
    regrantByDefault: true,
    clock: systemClock,
  });
  const audit: OperatorAction[] = [];
  const auditFile = join(home, 'audit.jsonl');
  const log = createAuditLog({ file: auditFile, clock: systemClock });
  const options: BoardOptions = {
    queues: boardQueues.queues,
    pool: boardQueues.pool,
    operate(caller) {
      const signatures = planSignatures({ config: rig.config, places: rig.places, ed25519: inlineEd25519(nodeEd25519()) });
      return boardServicesOf(doors(caller.name), { plans: running?.plans ?? coreServices.plans.plans, signatures });
    },
    control: createQueueControl({ connection: redis, pool: 'default' }),
    audit: {
      async append(entry) {
        const record = await log.append(entry);
        audit.push(entry);
        return record;
      },
    },
    clock: systemClock,
    report: (error) => process.stderr.write(`${String(error)}\n`),
    translate: toWritError,
    links: [
      { text: 'API', url: '/docs/' },
      { text: 'Metrics', url: '/metrics' },
    ],
  };
  const apiKeys = createApiKeyStore({ file: join(home, 'keys.json') });
  const indexed: TaskRecord[] = [];
  const services: HttpServices = {
    ...doors('api'),
    toolTasks: coreServices.toolTasks,
    webhooks: coreServices.webhooks,
    plans: { ...coreServices.plans, plans: running?.plans ?? coreServices.plans.plans },
    queues: options.control,
    contentSearch: coreServices.contentSearch,
    contentIndex: coreServices.contentIndex,
    messageSearch: coreServices.messageSearch,
    messages: coreServices.messages,
    version: '0.0.0',
    audit: options.audit,
    resultKeys: async () => ({ keys: [] }),
    index: {
      list: async ({ plan }) => ({ tasks: indexed.filter((task) => plan === undefined || task.plan === plan) }),
      events: () => ({ begun: Promise.resolve(), async *[Symbol.asyncIterator]() {} }),
      health: () => ({ state: 'following', tasks: 0, lagMs: 0 }),
    },
    maxWaitS: 1,
    report: options.report,
    ready: async () => [],
    metrics: async () => ({ type: 'text/plain', text: '' }),
  };
  const server = createHttpServer({
    services,
    routes: [],
    apiKeys,
    loginLinks: createLoginLinks({ directory: join(home, 'links') }),
    http: SETTINGS,
    plugins: [boardPlugin(options), consolePlugin(services)],
    home: () => `${BOARD_PATH}/`,
  });
  await server.start();
  const key: BoardRig['key'] = async (roles, name = `${roles.join('-')}-${performance.now()}`) => (await apiKeys.create({ name, roles })).secret;
  const keys: Partial<Record<Role, string>> = {
    operate: await key(['operate'], 'olga'),
    read: await key(['read', 'submit', 'search', 'ingest', 'kernel'], 'rita'),
  };
  const kernels: Lifecycle[] = [];

  return {
    rig,
    redis,
    url: server.url(),
    audit,
    auditFile,
    indexed,
    options,
    key,
    call: (method, path, init = {}, role = 'operate') =>
      fetch(`${server.url()}${BOARD_PATH}${path}`, {
        method,
        redirect: 'manual',
        ...init,
        headers: { authorization: `Bearer ${keys[role]}`, ...init.headers },
      }),
    async startKernel() {
      const role = await createKernelRole({ config: rig.config, places: rig.places, log: createLogger('silent', 'kernel') });
      kernels.push(role);
      await role.start();
      return role;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      for (const kernel of kernels) await kernel.stop();
      client.close();
      await boardQueues[Symbol.asyncDispose]();
      if (!running) await rig.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
