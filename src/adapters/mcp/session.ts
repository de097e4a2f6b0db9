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

/** How to reach the server. A session that was made with another `key` is left when its calls have ended. */
export interface ConnectionSetup {
  readonly key: string;
  readonly transport: () => Promise<Transport>;
}

/** A session as those see it who keep it. */
export interface Session extends Connection {
  readonly key: string;
  quiet(): boolean;
  /** Whether the server still answers. */
  answers(): Promise<boolean>;
  /** Ends it as soon as no call is on its way. */
  retire(): void;
  close(): Promise<void>;
}

const START_MS = 30_000;
/** A session that was quiet for longer is asked whether it still lives, before a call is trusted to it. */
const QUIET_MS = 10_000;
const PING_MS = 5000;

/**
 * Begins a session with a server.
 *
 * @throws CallFailure `unsent`
 */
export async function openSession({ key, transport }: ConnectionSetup): Promise<Session> {
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
    await client.connect(await transport(), { timeout: START_MS });
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
    /** A server that knows no ping says so, and lives. */
    answers: () =>
      client.ping({ timeout: PING_MS }).then(
        () => true,
        (error: unknown) => error instanceof McpError && isSaidByServer(error),
      ),
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
