import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { CallFailure } from './call-failure.ts';
import { isSaidByServer } from './said-by-server.ts';

/** A session with a server. */
export interface Connection {
  readonly client: Client;
  /** The server is gone. */
  readonly lost: boolean;
  /** Counts as in use until the returned function is called. */
  use(): () => void;
  /** The server has forgotten the session: the next call gets another one. */
  lose(): void;
}

export interface Connections {
  /** The session of now, or a new one; one at a time is started. Rejects with a CallEnd. */
  current(setup: ConnectionSetup): Promise<Connection>;
  close(): Promise<void>;
}

/** How to reach the server. A session that was made with another `key` is left when its calls have ended. */
export interface ConnectionSetup {
  readonly key: string;
  readonly transport: () => Transport;
}

const START_MS = 30_000;
/** A session that was quiet for longer is asked whether it still lives, before a call is trusted to it. */
const QUIET_MS = 10_000;
const PING_MS = 5000;

interface Session extends Connection {
  readonly key: string;
  quiet(): boolean;
  /** Ends it as soon as no call is on its way. */
  retire(): void;
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
      if (!session.quiet() || (await answers(session))) return session;
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
    const next = await open(setup);
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

async function open({ key, transport }: ConnectionSetup): Promise<Session> {
  // No capabilities: a server may ask nothing of us, no model, no file and no person.
  const client = new Client({ name: 'writ', version: '1' }, { capabilities: {} });
  let lost = false;
  let retired = false;
  let inUse = 0;
  let usedAt = performance.now();
  client.onclose = () => {
    lost = true;
  };
  try {
    await client.connect(transport(), { timeout: START_MS });
  } catch (error) {
    await client.close().catch(() => undefined);
    // Nothing of a call has been sent yet.
    throw new CallFailure('unsent', error instanceof CallFailure ? error.message : 'the MCP server could not be initialized');
  }

  const close = (): Promise<void> => client.close().catch(() => undefined);
  const retire = (): void => {
    retired = true;
    if (inUse === 0) void close();
  };
  return {
    client,
    key,
    get lost() {
      return lost;
    },
    quiet: () => inUse === 0 && performance.now() - usedAt > QUIET_MS,
    use() {
      inUse += 1;
      return () => {
        inUse -= 1;
        usedAt = performance.now();
        if (retired && inUse === 0) void close();
      };
    },
    lose() {
      lost = true;
      retire();
    },
    retire,
    close,
  };
}

/** A server that knows no ping says so, and lives. */
async function answers({ client }: Connection): Promise<boolean> {
  return client.ping({ timeout: PING_MS }).then(
    () => true,
    (error: unknown) => error instanceof McpError && isSaidByServer(error),
  );
}
