import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { withTimeout } from '../../core/with-timeout.ts';
import { codeOf } from '../files/small-file.ts';
import { CallFailure } from './call-failure.ts';
import { fromServer } from './said-by-server.ts';

export interface ServerProcessOptions {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Beside the few variables below, the whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Largest message of the server. */
  readonly maxBytes: number;
}

/** Nothing of the worker's environment: what is in there is not a server's business. */
const BASE_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/', LANG: 'C.UTF-8', TZ: 'UTC' };

const GRACE_MS = 1000;

/**
 * An MCP server as a process of its own: no shell, its own process group, which is killed with it. The SDK's transport
 * hands on a part of our environment and leaves what a server has started behind. When the worker dies, the end of the
 * server's input tells it.
 */
export function serverProcess({ command, args, env, cwd, maxBytes }: ServerProcessOptions): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: maxBytes });
  let child: ChildProcess | undefined;
  let closed: Promise<unknown> | undefined;

  const transport: Transport = { start, send, close };

  async function start(): Promise<void> {
    const started = spawn(command, [...args], { cwd, env: { ...BASE_ENVIRONMENT, ...env }, stdio: ['pipe', 'pipe', 'ignore'], detached: true, shell: false });
    child = started;
    started.stdin?.on('error', (error) => transport.onerror?.(error));
    started.stdout?.on('data', (chunk: Buffer) => receive(chunk, started));
    // Whatever the server has started ends with it.
    started.once('exit', () => {
      killGroup(started, 'SIGKILL');
      // A process that left the group may hold the pipe open: not for us.
      setTimeout(() => started.stdout?.destroy(), GRACE_MS).unref();
    });
    closed = new Promise((resolve) => {
      started.once('close', resolve);
      started.once('error', resolve);
    }).then(() => transport.onclose?.());
    try {
      await once(started, 'spawn');
    } catch (error) {
      throw new CallFailure('unsent', `the MCP server could not be started (${codeOf(error)})`);
    }
  }

  function receive(chunk: Buffer, from: ChildProcess): void {
    try {
      buffer.append(chunk);
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      killGroup(from, 'SIGKILL');
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(fromServer(message));
      } catch (error) {
        // A line that is no message: some servers write logs where only messages belong.
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  function send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const input = child?.stdin;
      if (!input?.writable) return reject(new CallFailure('unsent', 'the MCP server has ended'));
      input.write(serializeMessage(message), (error) => (error ? reject(new CallFailure('unclear', 'the MCP server ended while it was asked')) : resolve()));
    });
  }

  /** End of input, then SIGTERM, then SIGKILL, a second apart. */
  async function close(): Promise<void> {
    const ending = child;
    if (ending === undefined || closed === undefined) return;
    const hasEnded = closed.then(() => true);
    ending.stdin?.end();
    if ((await withTimeout(hasEnded, GRACE_MS)) === true) return;
    killGroup(ending, 'SIGTERM');
    if ((await withTimeout(hasEnded, GRACE_MS)) === true) return;
    killGroup(ending, 'SIGKILL');
    await closed;
  }

  return transport;
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}
