import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Queue } from 'bullmq';
import { QUEUE_PREFIX } from '../../../../queues/catalog.ts';
import { createConnection } from '../../../../queues/connection.ts';
import { createTaskFeed } from '../../../../queues/task-feed.ts';
import { createTaskIndex } from '../../../../src/adapters/sqlite/task-index/task-index.ts';
import { boundProviders } from '../../../../src/adapters/tool-bindings/providers.ts';
import { type HttpWiring, wireHttpServices } from '../../../../src/bin/http/services.ts';
import { registryRoots } from '../../../../src/bin/plan/registry-roots.ts';
import { createKernelRole } from '../../../../src/bin/roles/kernel.ts';
import { contentRefusal } from '../../../../src/content-search/settings/refusals.ts';
import type { Role, TaskManifest } from '../../../../src/contracts/index.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { sequential } from '../../../../src/core/lifecycle.ts';
import type { OperatorRecord } from '../../../../src/core/ports/index.ts';
import { createApiKeyStore } from '../../../../src/data-dir/api-keys.ts';
import { createAuditLog } from '../../../../src/data-dir/audit-log.ts';
import { createLoginLinks } from '../../../../src/data-dir/login-links.ts';
import { openWebhookKey } from '../../../../src/data-dir/webhook-key.ts';
import { createLogger } from '../../../../src/observability/logging.ts';
import type { AnyRoute } from '../../../../src/surfaces/http/route.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { createHttpServer } from '../../../../src/surfaces/http/server.ts';
import type { HttpServices } from '../../../../src/surfaces/http/services.ts';
import { outcomeForNotice } from '../../../../src/surfaces/shared/webhooks.ts';
import type { WebhookOptions } from '../../../../src/webhooks/io/webhooks.ts';
import { messageSearchTwin } from '../../../support/message-search-twin.ts';
import { manifestOf, type Rig, type RigOptions, startRig } from '../../../support/rig.ts';
import { webhooksOf } from '../../../support/webhooks.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Bodies are asserted on, field by field.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test looks at
  readonly body: any;
}

export interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whose key; `operator` has every role. */
  readonly as?: Role | 'operator' | 'nobody';
}

/** An installation with everything of the API: Redis, kernel, index, audit log, keys, server; a worker on demand. */
export interface Site extends AsyncDisposable {
  readonly rig: Rig;
  readonly url: string;
  readonly services: HttpServices;
  ask(path: string, ask?: Ask): Promise<Reply>;
  /** A request over node:http, for streams that go both ways. */
  stream(path: string, as: Role | 'operator', type?: string): http.ClientRequest;
  secret(as: Role | 'operator'): string;
  audit(): readonly OperatorRecord[];
  /** A file below the base directory, made; its logical path. */
  file(name: string, text?: string): string;
  manifest(name: string, changes?: Partial<TaskManifest>): TaskManifest;
  /** No worker takes a job until it is disposed of. */
  paused(): Promise<AsyncDisposable>;
}

const ROLES_OF = {
  submit: ['submit'],
  search: ['search'],
  read: ['read'],
  ingest: ['ingest'],
  approve: ['approve'],
  operate: ['operate'],
  kernel: ['kernel'],
} as const;

export async function startSite(
  options: RigOptions & {
    readonly contentSearch?: HttpServices['contentSearch'];
    readonly contentIndex?: HttpServices['contentIndex'];
    readonly messages?: HttpServices['messages'];
    readonly messageSearch?: HttpServices['messageSearch'];
    readonly routes?: readonly AnyRoute[];
    readonly kernel?: boolean;
    /** Who is told of the ends of tasks. */
    readonly webhooks?: WebhookOptions['endpoints'];
    /** Where pushes are counted. */
    readonly pushMetrics?: HttpWiring['pushMetrics'];
  } = {},
): Promise<Site> {
  const rig = await startRig(options);
  const { config, places } = rig;
  const log = createLogger('silent', 'api');
  const target = rig.redis.target();
  const kernel = await createKernelRole({ config, places, log });
  const index = createTaskIndex({ file: places.taskIndex, maxTasks: 1_000_000 });
  const feedConnection = createConnection(target, 'ledger');
  const feed = createTaskFeed({
    connection: feedConnection,
    pool: config.pool.id,
    providers: boundProviders(registryRoots(config)),
    index,
    results: rig.results,
  });
  const audit = createAuditLog({ file: places.audit, clock: systemClock });
  const {
    services: wired,
    planEnds,
    parts,
  } = wireHttpServices({
    config,
    places,
    log,
    version: '0.0.0-test',
    index,
    audit,
    metrics: async () => ({ type: 'text/plain; version=0.0.4', text: 'writ_up 1\n' }),
    contentSearch: options.contentSearch ?? { refusal: contentRefusal(config), search: () => Promise.reject(new Error('nobody asks')) },
    contentIndex: options.contentIndex ?? { mode: 'off', status: async () => [], request: () => Promise.reject(new Error('nobody asks')) },
    messageSearch: options.messageSearch ?? messageSearchTwin(),
    pushMetrics: options.pushMetrics,
    tracer: undefined,
    messages: options.messages ?? { submit: () => Promise.reject(new Error('nobody sends')), settled: () => Promise.reject(new Error('nobody waits')) },
  });
  const webhooks = webhooksOf(options.webhooks ?? {}, {
    directory: places.webhooks,
    index,
    plans: planEnds,
    outcome: (told) => outcomeForNotice(told, { tasks: wired.tasks, plans: wired.plans.plans }),
    key: () => openWebhookKey(places),
  });
  const services: HttpServices = { ...wired, webhooks };
  const apiKeys = createApiKeyStore({ file: places.apiKeys });
  const secrets = new Map<string, string>();
  for (const [name, roles] of [...Object.entries(ROLES_OF), ['operator', Object.keys(ROLES_OF) as Role[]] as const]) {
    secrets.set(name, (await apiKeys.create({ name, roles: [...roles] })).secret);
  }
  mkdirSync(places.loginLinks, { recursive: true });
  const server = createHttpServer({
    services,
    routes: options.routes ?? ROUTES,
    apiKeys,
    loginLinks: createLoginLinks({ directory: places.loginLinks }),
    http: {
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      maxBodyBytes: config.http.max_body_bytes,
      requestTimeoutMs: config.http.request_timeout_s * 1000,
      maxConnections: config.http.max_connections,
      rateLimit: 1_000_000,
      loginLimit: 1000,
      sessionMs: config.http.session_s * 1000,
    },
  });
  const all = sequential([...(options.kernel === false ? [] : [kernel]), index, feed, webhooks, ...parts, server]);
  await all.start();
  const url = server.url();
  const secret = (as: string): string => secrets.get(as) ?? '';

  return {
    rig,
    url,
    services,
    secret,
    async ask(where, { method = 'GET', body, headers = {}, as = 'operator' } = {}) {
      const reply = await fetch(url + where, {
        method,
        headers: {
          ...(as === 'nobody' ? {} : { authorization: `Bearer ${secret(as)}` }),
          ...(body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await reply.text();
      return {
        status: reply.status,
        headers: reply.headers,
        text,
        body:
          /json/.test(reply.headers.get('content-type') ?? '') && !/ndjson/.test(reply.headers.get('content-type') ?? '') && text !== ''
            ? JSON.parse(text)
            : undefined,
      };
    },
    stream(where, as, type = 'application/x-ndjson') {
      const { port } = new URL(url);
      return http.request({ host: '127.0.0.1', port, path: where, method: 'POST', headers: { authorization: `Bearer ${secret(as)}`, 'content-type': type } });
    },
    audit: () =>
      readFileSync(places.audit, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as OperatorRecord),
    file(name, text = name) {
      writeFileSync(path.join(rig.base, name), text);
      return path.join(rig.base, name);
    },
    manifest(name, changes = {}) {
      const source = path.join(rig.base, name);
      writeFileSync(source, name);
      return manifestOf('FILE_MOVE', source, path.join(rig.base, `${name}.moved`), changes);
    },
    async paused() {
      const queue = new Queue('file', { connection: feedConnection, prefix: QUEUE_PREFIX });
      await queue.pause();
      return {
        async [Symbol.asyncDispose]() {
          await queue.resume();
          await queue.close();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await all.stop();
      feedConnection.disconnect();
      await rig.stop();
    },
  };
}

export function linesOf(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
