import { CallFailure } from './call-failure.ts';
import type { Connection, ConnectionSetup, Session } from './session.ts';

export interface Connections {
  /** The session of now, or a new one; one at a time is started. Rejects with a CallEnd. */
  current(setup: ConnectionSetup): Promise<Connection>;
  close(): Promise<void>;
}

/** One session per binding, started when it is needed and again when the server has gone. */
export function connections(): Connections {
  let session: Session | undefined;
  let starting: { readonly key: string; readonly promise: Promise<Session> } | undefined;
  /** Those that may still have calls on their way. */
  const all = new Set<Session>();
  let closed = false;

  async function current(setup: ConnectionSetup): Promise<Connection> {
    if (closed) throw new CallFailure('unsent', 'the worker is stopping');
    if (session && !session.lost && session.key === setup.key) {
      if (!session.quiet() || (await session.answers())) return session;
    }
    if (starting?.key !== setup.key) starting = { key: setup.key, promise: renew(setup) };
    const mine = starting;
    try {
      return await mine.promise;
    } finally {
      if (starting === mine) starting = undefined;
    }
  }

  async function renew(setup: ConnectionSetup): Promise<Session> {
    session?.retire();
    session = undefined;
    for (const one of all) if (one.lost) all.delete(one);
    // Every role reads the bindings, and few of them call: the protocol is loaded for the first session.
    const { openSession } = await import('./session.ts');
    const next = await openSession(setup);
    all.add(next);
    session = next;
    if (closed) await next.close();
    return next;
  }

  return {
    current,
    async close() {
      closed = true;
      await starting?.promise.catch(() => undefined);
      await Promise.all([...all].map((one) => one.close()));
    },
  };
}
