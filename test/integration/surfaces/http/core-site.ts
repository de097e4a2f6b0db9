import { createHash, randomBytes } from 'node:crypto';
import { judgeRequest } from '../../../../src/content-search/search/request.ts';
import { ROLES, type Role } from '../../../../src/contracts/index.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import type { ApiKey, ApiKeyStore, ContentSearchOutcome, LoginLinks } from '../../../../src/core/ports/index.ts';
import type { HttpServerOptions, HttpSettings } from '../../../../src/surfaces/http/options.ts';
import { createHttpServer, type HttpServer } from '../../../../src/surfaces/http/server.ts';
import type { HttpServices } from '../../../../src/surfaces/http/services.ts';
import { noWebhooks } from '../../../support/webhooks.ts';

/** Keys in memory: the stores on disk have tests of their own. */
export function memoryKeys(now: () => number = Date.now): ApiKeyStore & { readonly secretOf: ReadonlyMap<string, string> } {
  const keys = new Map<string, ApiKey & { readonly hash: string }>();
  const secretOf = new Map<string, string>();
  const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
  const good = (key: ApiKey) => key.expiresAt === undefined || Date.parse(key.expiresAt) > now();
  return {
    secretOf,
    async find(secret) {
      const key = [...keys.values()].find(({ hash }) => hash === hashOf(secret));
      return key && good(key) ? { ...key, secretId: key.hash } : undefined;
    },
    secrets: async () => new Set([...keys.values()].filter(good).map(({ hash }) => hash)),
    list: async () => [...keys.values()],
    async create({ name, roles, ttlS, grant }) {
      const id = randomBytes(4).toString('hex');
      const secret = `writ_${id}_${randomBytes(32).toString('base64url')}`;
      const key: ApiKey = {
        id,
        name,
        roles,
        createdAt: new Date(now()).toISOString(),
        ...(ttlS === undefined ? {} : { expiresAt: new Date(now() + ttlS * 1000).toISOString() }),
        ...(grant && { grant }),
      };
      keys.set(id, { ...key, hash: hashOf(secret) });
      secretOf.set(name, secret);
      return { key, secret };
    },
    rotate: async () => {
      throw new Error('no test of the server rotates');
    },
    revoke: async (id) => keys.delete(id),
  };
}

export function memoryLinks(): LoginLinks {
  const open = new Map<string, { name: string; roles: readonly Role[] }>();
  return {
    async create(roles, _ttlS, name) {
      const token = randomBytes(32).toString('base64url');
      open.set(token, { name, roles });
      return token;
    },
    async redeem(token) {
      const visitor = open.get(token);
      open.delete(token);
      return visitor;
    },
  };
}

/** Services of which the core needs readiness, figures and a clock; whatever else is asked of them ends as `refuse` says. */
export function servicesThat(refuse: () => never): HttpServices {
  const tasks: HttpServices['tasks'] = {
    enqueue: { push: refuse, pushMany: refuse, retry: refuse, jobState: refuse },
    ledger: { row: refuse, refusal: refuse, cancel: refuse },
    results: { read: refuse },
    signals: { onRecorded: refuse },
    journal: undefined,
  };
  /** The request is judged as in the product; nothing that is right is searched for here. */
  const search = async (request: unknown): Promise<ContentSearchOutcome> => {
    const judged = judgeRequest(request, { timeoutMs: 1000, maxResults: 10 });
    return judged.ok ? refuse() : judged;
  };
  return {
    version: '0.0.0-test',
    clock: systemClock,
    tasks,
    toolTasks: tasks,
    webhooks: noWebhooks(),
    plans: {
      plans: {
        push: refuse,
        view: refuse,
        end: refuse,
        list: refuse,
        history: refuse,
        cancel: refuse,
        wake: refuse,
        kept: refuse,
        retry: refuse,
        onChange: refuse,
      },
      preview: { link: refuse, outline: refuse },
      signatures: { refusalOf: refuse, expiryOf: refuse, verifyEnd: refuse },
      events: { listen: () => () => undefined },
    },
    queues: { list: refuse, paused: refuse, pausedAround: refuse, set: refuse },
    contentSearch: { refusal: undefined, search },
    contentIndex: { mode: 'off', status: async () => [], request: refuse },
    messages: { submit: refuse, settled: refuse },
    kernel: refuse,
    signatures: refuse,
    resultKeys: async () => ({ keys: [] }),
    index: { list: refuse, events: refuse, health: refuse },
    audit: { append: refuse },
    regrantByDefault: true,
    maxWaitS: 60,
    messageSearch: { search: refuse, project: refuse, product: refuse, errorResponse: refuse },
    report: refuse,
    ready: async () => [{ name: 'redis', ok: true, detail: 'wrote' }],
    metrics: async () => ({ type: 'text/plain; version=0.0.4; charset=utf-8', text: 'writ_build_info 1\n' }),
  };
}

/** The routes of tasks are tested with real services. */
export const coreServices = servicesThat(() => {
  throw new Error('no test of the core asks for this');
});

export const SETTINGS: HttpSettings = {
  host: '127.0.0.1',
  port: 0,
  allowedHosts: [],
  maxBodyBytes: 65_536,
  requestTimeoutMs: 30_000,
  maxConnections: 1000,
  rateLimit: 100_000,
  loginLimit: 1000,
  sessionMs: 3_600_000,
};

export interface Site extends AsyncDisposable {
  readonly server: HttpServer;
  readonly url: string;
  readonly keys: ReturnType<typeof memoryKeys>;
  readonly links: LoginLinks;
  /** One key with each role alone, by role; `all` has every role. */
  readonly secrets: Readonly<Record<Role | 'all', string>>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The cookie of a new session, as `name=value`. */
  logIn(secret: string): Promise<string>;
}

/** A running server with one key for each role. */
export async function startSite(
  wish: Partial<Omit<HttpServerOptions, 'http' | 'services'>> & { http?: Partial<HttpSettings>; services?: Partial<HttpServices> } = {},
): Promise<Site> {
  const services = { ...coreServices, ...wish.services };
  const keys = memoryKeys(() => services.clock.now());
  const links = memoryLinks();
  const server = createHttpServer({
    routes: [],
    apiKeys: keys,
    loginLinks: links,
    ...wish,
    services,
    http: { ...SETTINGS, ...wish.http },
  });
  await server.start();
  const secrets: Record<string, string> = {};
  for (const role of ROLES) secrets[role] = (await keys.create({ name: role, roles: [role] })).secret;
  secrets['all'] = (await keys.create({ name: 'all', roles: ROLES })).secret;
  const url = server.url();
  return {
    server,
    url,
    keys,
    links,
    secrets: secrets as Site['secrets'],
    fetch: (path, init) => fetch(url + path, { redirect: 'manual', ...init }),
    async logIn(secret) {
      const answer = await fetch(`${url}/login`, { method: 'POST', redirect: 'manual', headers: { origin: url }, body: new URLSearchParams({ key: secret }) });
      return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
