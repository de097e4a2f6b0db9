import { z } from 'zod';
import { SessionEnd, SessionList } from '../../../contracts/index.ts';
import { route } from '../route.ts';
import { endSession, shownSession } from '../security/shown-session.ts';

const SessionParams = z.strictObject({ id: z.string().regex(/^[0-9a-f]{1,64}$/, 'must be the id of a session, as the list of sessions shows it') });

export const listSessions = route({
  method: 'GET',
  path: '/v1/sessions',
  operation: 'listSessions',
  summary: 'Who is logged in with a browser',
  description: 'Sessions of this API process, the newest first. They end with it, with their key, and after `http.session_s`.',
  tag: 'sessions',
  access: ['operate'],
  responses: { 200: { description: 'Every open session.', schema: SessionList } },
  problems: [],
  async handle({ sessions, caller, services: { clock } }) {
    const body: SessionList = { sessions: sessions.list().map((session) => shownSession(session, caller, clock)) };
    return { status: 200, body, headers: { 'cache-control': 'no-store' } };
  },
});

export const endOneSession = route({
  method: 'DELETE',
  path: '/v1/sessions/:id',
  operation: 'endSession',
  summary: 'Log a browser out',
  description: 'What it has begun ends within a second, streams among them. The key that opened it stays good: `writ key revoke`. Audited.',
  tag: 'sessions',
  access: ['operate'],
  params: SessionParams,
  responses: { 200: { description: 'It is logged out.', schema: SessionEnd } },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', 'STORAGE_UNAVAILABLE'],
  handle: async ({ params: { id }, sessions, caller, services: { audit } }) => ({ status: 200, body: await endSession(id, caller.name, { sessions, audit }) }),
});
