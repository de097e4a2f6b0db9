import Fastify, { type FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';
import { openBoardQueues } from '../../../../../queues/board-queues.ts';
import { inlineEd25519, nodeEd25519 } from '../../../../../src/adapters/crypto/index.ts';
import { createRedisSignals } from '../../../../../src/adapters/redis/signals.ts';
import { kernelDoor } from '../../../../../src/bin/cli/kernel.ts';
import { signatureReader } from '../../../../../src/bin/cli/signatures.ts';
import { createKernelRole } from '../../../../../src/bin/roles/kernel.ts';
import type { Role } from '../../../../../src/contracts/index.ts';
import { type Clock, systemClock } from '../../../../../src/core/clock.ts';
import { WritError } from '../../../../../src/core/errors.ts';
import type { Lifecycle } from '../../../../../src/core/lifecycle.ts';
import type { OperatorAction } from '../../../../../src/core/ports/index.ts';
import { createKernelClient } from '../../../../../src/kernel/index.ts';
import { createLogger } from '../../../../../src/observability/logging.ts';
import { BOARD_PATH, boardPlugin, type BoardOptions } from '../../../../../src/producers/http/board/plugin.ts';
import type { OperatorDoors } from '../../../../../src/producers/tasks/operator.ts';
import { type Rig, startRig } from '../../../../support/rig.ts';

/** The board's plugin on a bare server: who calls stands in a header. The guards of the real server have tests of their own. */
export interface BoardRig extends AsyncDisposable {
  readonly rig: Rig;
  readonly redis: Redis;
  readonly url: string;
  readonly audit: OperatorAction[];
  readonly options: BoardOptions;
  /** As an operator, unless headers say otherwise. */
  call(method: string, path: string, init?: RequestInit): Promise<Response>;
  startKernel(): Promise<Lifecycle>;
}

export async function startBoardRig({ clock = systemClock }: { readonly clock?: Clock } = {}): Promise<BoardRig> {
  const rig = await startRig();
  const redis = await rig.redis.client('producer');
  const audit: OperatorAction[] = [];
  const boardQueues = openBoardQueues({ connection: redis, pool: 'default' });
  const client = createKernelClient(rig.places.kernelSocket);
  const signals = createRedisSignals(await rig.redis.client('subscriber'));
  const signatures = signatureReader({
    config: rig.config,
    places: rig.places,
    ed25519: inlineEd25519(nodeEd25519()),
    feed: async () => rig.feed,
  });
  const doors = (who: string): OperatorDoors => ({
    tasks: { enqueue: rig.enqueue, ledger: rig.ledger, signals, journal: undefined },
    kernel: async () => kernelDoor(client, who),
    signatures: async () => signatures,
    regrantByDefault: true,
    clock,
  });
  const options: BoardOptions = {
    queues: boardQueues.queues,
    pool: boardQueues.pool,
    operate: (caller) => doors(caller.name),
    audit: {
      async append(entry) {
        audit.push(entry);
        return { ...entry, v: 1, n: audit.length, at: '', prev: '', hash: '' };
      },
    },
    clock,
    links: [{ text: 'API', url: '/docs' }],
  };
  const app = Fastify({ forceCloseConnections: true });
  guardedBy(app, options);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const kernels: Lifecycle[] = [];

  return {
    rig,
    redis,
    url,
    audit,
    options,
    call: (method, path, init = {}) => fetch(`${url}${BOARD_PATH}${path}`, { method, redirect: 'manual', ...init, headers: { 'x-role': 'operate', ...init.headers } }),
    async startKernel() {
      const role = await createKernelRole({ config: rig.config, places: rig.places, log: createLogger('silent', 'kernel') });
      kernels.push(role);
      await role.start();
      return role;
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      for (const kernel of kernels) await kernel.stop();
      client.close();
      await boardQueues[Symbol.asyncDispose]();
      await rig.stop();
    },
  };
}

function guardedBy(app: FastifyInstance, options: BoardOptions): void {
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    const role = String(request.headers['x-role']) as Role;
    request.caller = { name: 'olga', roles: new Set([role]), via: 'key' };
  });
  const guard = {
    require: (role: Role) => async (request: { caller: { roles: ReadonlySet<string> } | undefined }) => {
      if (!request.caller?.roles.has(role)) throw new WritError('FORBIDDEN', 'role missing');
    },
  };
  app.register(async (scope) => boardPlugin(options)(scope, guard));
}
