import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { withTimeout } from '../../core/with-timeout.ts';
import { withBatches } from './batches.ts';
import { createMcpServer, type McpOptions } from './server.ts';
import type { AnyTool } from './tool.ts';

export interface StdioIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** Calls that still run when the client has closed its end get so long to be answered. */
const DRAIN_MS = 10_000;

/** Serves one client over stdin and stdout until it closes stdin or `stop` is aborted. */
export async function serveStdio({ stdin, stdout }: StdioIo, options: McpOptions, stop: AbortSignal, drainMs = DRAIN_MS): Promise<void> {
  const running = new Set<Promise<unknown>>();
  const server = createMcpServer({ ...options, tools: options.tools.map((tool) => counted(tool, running)) });
  const stopped = new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
  const lines = withBatches({ stdin, stdout });
  const over = new Promise<void>((resolve) => {
    lines.stdin.once('end', resolve).once('close', resolve);
  });
  await server.connect(new StdioServerTransport(lines.stdin, lines.stdout));
  await Promise.race([over, stopped]);
  if (!stop.aborted) await withTimeout(Promise.race([settled(running), stopped]), drainMs);
  await server.close();
}

function counted(tool: AnyTool, running: Set<Promise<unknown>>): AnyTool {
  return {
    ...tool,
    call: (call) => {
      const answer = tool.call(call);
      running.add(answer);
      const forget = (): void => void running.delete(answer);
      answer.then(forget, forget);
      return answer;
    },
  };
}

/** All calls, and the turn in which their answers are written. */
async function settled(running: ReadonlySet<Promise<unknown>>): Promise<void> {
  // The last line may have been read in this very turn.
  await new Promise((resolve) => setImmediate(resolve));
  while (running.size > 0) await Promise.allSettled(running);
  await new Promise((resolve) => setImmediate(resolve));
}
