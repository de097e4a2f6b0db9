import type { CallOptions } from './tasks.ts';
import type { Transport } from './transport.ts';
import type { SessionEnd, SessionList } from './types.ts';

/** The browsers that are logged in to the server. */
export interface SessionsApi {
  /** The newest first. */
  list(options?: CallOptions): Promise<SessionList>;
  /** Logs a browser out; calls that it has begun end within a second. */
  end(id: string, options?: CallOptions): Promise<SessionEnd>;
}

export function createSessions(transport: Transport): SessionsApi {
  return {
    list: async ({ signal } = {}) => (await transport.json<SessionList>({ method: 'GET', path: '/v1/sessions', signal, repeatable: true })).body,
    end: async (id, { signal } = {}) =>
      (await transport.json<SessionEnd>({ method: 'DELETE', path: `/v1/sessions/${encodeURIComponent(id)}`, signal, repeatable: false })).body,
  };
}
