import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../../../src/contracts/index.ts';
import { withDocument } from '../../../../src/surfaces/http/openapi/document.ts';
import { PAGES } from '../../../../src/surfaces/http/pages/table.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { ask } from './core-raw.ts';
import { type Site, startSite } from './core-site.ts';

/**
 * Who may call what, written down a second time by hand: a change of a row's access must be meant twice.
 * The cells are made from the rows themselves, so that a new route without a line here fails.
 */
const MAY: Readonly<Record<string, 'open' | 'any' | readonly Role[]>> = {
  'POST /v1/tasks': ['submit'],
  'GET /v1/tasks': ['read'],
  'POST /v1/tasks/retry': ['operate'],
  'GET /v1/tasks/:id': ['submit', 'read'],
  'POST /v1/tasks/:id/retry': ['operate'],
  'POST /v1/tasks/:id/undo': ['operate'],
  'POST /v1/tasks/:id/cancel': ['operate'],
  'POST /v1/plans': ['submit'],
  'GET /v1/plans': ['read'],
  'POST /v1/plans/retry': ['operate'],
  'GET /v1/plans/:id/history': ['read'],
  'GET /v1/plans/:id': ['submit', 'read'],
  'POST /v1/plans/:id/retry': ['operate'],
  'POST /v1/plans/:id/cancel': ['operate'],
  'POST /v1/plans/:id/undo': ['operate'],
  'POST /v1/plans/:id/approve': ['approve', 'operate', 'kernel'],
  'POST /v1/plans/:id/deny': ['approve', 'operate', 'kernel'],
  'GET /v1/approvals': ['read', 'approve', 'operate', 'kernel'],
  'POST /v1/search': ['search'],
  'POST /v1/messages/search': ['search'],
  'GET /v1/queues': ['read', 'operate'],
  'POST /v1/queues/:queue/:action': ['operate'],
  'GET /v1/index': ['read', 'operate'],
  'POST /v1/index/:key_hash/:action': ['operate'],
  'POST /v1/leases': ['kernel'],
  'POST /v1/schedules': ['kernel'],
  'GET /v1/schedules': ['read', 'operate', 'kernel'],
  'GET /v1/schedules/:id': ['read', 'operate', 'kernel'],
  'POST /v1/schedules/:id/:action': ['kernel'],
  'GET /v1/sessions': ['operate'],
  'DELETE /v1/sessions/:id': ['operate'],
  'GET /v1/webhooks': ['operate'],
  'GET /v1/webhooks/notices': ['operate'],
  'GET /v1/webhooks/notices/:id': ['operate'],
  'POST /v1/webhooks/notices/:id/resend': ['operate'],
  'POST /v1/webhooks/:endpoint/resend': ['operate'],
  'POST /v1/webhooks/:endpoint/test': ['operate'],
  'GET /v1/keys': 'any',
  'GET /v1/events': ['read'],
  'POST /v1/messages': ['ingest'],
  'DELETE /v1/messages/:id': ['ingest'],
  'POST /v1/messages/rebuild': ['operate'],
  'POST /mcp': 'any',
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /metrics': ['read'],
  'GET /openapi.json': 'open',
  'GET /': 'open',
  'GET /login': 'open',
  'POST /login': 'open',
  'POST /logout': 'open',
  'GET /docs': 'open',
};

const TABLE = [...withDocument(ROUTES).rows, ...PAGES].map(({ method, path }) => ({ name: `${method} ${path}`, method, path: path.replaceAll(/:\w+/g, 'x') }));
const CALLERS = [...ROLES.flatMap((role) => [`key ${role}`, `session ${role}`]), 'nobody', 'wrong key', 'wrong session', 'wrong key with a good session'];

let site: Site;
const cookies = new Map<string, string>();
beforeAll(async () => {
  site = await startSite({ routes: ROUTES });
  for (const role of ROLES) cookies.set(role, await site.logIn(site.secrets[role]));
});
afterAll(() => site.server.stop());

/** The headers of a caller; `via` a proxy, so that nothing is open because of loopback. */
function headersOf(caller: string): Record<string, string> {
  const [kind = '', role = ''] = caller.split(' ');
  const proxied = { 'x-forwarded-for': '203.0.113.9', origin: site.url };
  const wrong = `Bearer writ_00000000_${'A'.repeat(43)}`;
  if (kind === 'key') return { ...proxied, authorization: `Bearer ${site.secrets[role as Role]}` };
  if (kind === 'session') return { ...proxied, cookie: cookies.get(role) ?? '' };
  if (caller === 'wrong key') return { ...proxied, authorization: wrong };
  if (caller === 'wrong session') return { ...proxied, cookie: `writ_session=${'A'.repeat(43)}` };
  return caller === 'nobody' ? proxied : { ...proxied, authorization: wrong, cookie: cookies.get('read') ?? '' };
}

function expected(name: string, caller: string): 'granted' | 'UNAUTHORIZED' | 'FORBIDDEN' {
  const may = MAY[name];
  if (may === 'open') return 'granted';
  const [kind, role] = caller.split(' ');
  if (kind !== 'key' && kind !== 'session') return 'UNAUTHORIZED';
  return may === 'any' || may?.includes(role as Role) === true ? 'granted' : 'FORBIDDEN';
}

async function verdict(method: string, path: string, caller: string): Promise<string> {
  const { status, body } = await ask(site.url, path, { method, headers: headersOf(caller) });
  if (status !== 401 && status !== 403) return 'granted';
  const { code } = JSON.parse(body) as { code: string };
  // The form of the login refuses what was entered, not who came.
  return path === '/login' ? 'granted' : code;
}

describe('the matrix of route x role', () => {
  it('has a line for every route, and no line for none', () => {
    expect(Object.keys(MAY).sort()).toEqual(TABLE.map(({ name }) => name).sort());
  });

  it.each(TABLE.flatMap(({ name, method, path }) => CALLERS.map((caller) => ({ name, method, path, caller, is: expected(name, caller) }))))(
    '$name by $caller: $is',
    async ({ method, path, caller, is }) => {
      expect(await verdict(method, path, caller)).toBe(is);
    },
  );
});
