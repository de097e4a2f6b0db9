import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { CallFailure } from './call-failure.ts';
import type { ConnectionSetup, Session } from './connection.ts';
import { isSaidByServer } from './said-by-server.ts';

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
