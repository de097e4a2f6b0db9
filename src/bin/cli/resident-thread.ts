import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { loadBundle } from '../../adapters/processes/bundle.ts';
import { threadSide } from '../../adapters/threads/serve.ts';
import { listenForCommands } from '../../data-dir/command-socket.ts';
import { processIo } from '../../surfaces/cli/process-io.ts';
import { readThinCall } from '../../surfaces/cli/resident/commands.ts';
import { type ResidentRun, serveCall } from '../../surfaces/cli/resident/serve.ts';
import { buildId, callIdentity } from './resident-call.ts';
import type { ResidentRunner } from './resident-run.ts';

export interface ResidentData {
  readonly directory: string;
  readonly build: string;
}

/** What the thread says when it has opened: whether it listens, or somebody else of this user does. */
export type ResidentReady = 'listens' | 'stands by';

/** Commands at a time; who comes beyond runs its own. */
const MAX_COMMANDS = 32;

/** The thread of the API that runs commands for others of this host (docs/cli.md, "The short way"). What they need is loaded when the first one comes. */
threadSide<Record<never, never>, never, ResidentReady>().serve(async () => {
  const { directory, build } = workerData as ResidentData;
  const open = new Set<Socket>();
  const identity = callIdentity();
  const { realPath } = processIo();
  let running = 0;
  let runner: Promise<ResidentRunner | undefined> | undefined;
  const server = await listenForCommands(directory, 2 * MAX_COMMANDS, (socket, secret) => {
    open.add(socket);
    void serveCall(socket, { build, secret, identity, admit, realPath, run }).then(() => open.delete(socket));
  });
  if (server === undefined) return { calls: {}, ready: 'stands by' };

  function admit(args: readonly string[]): boolean {
    return running < MAX_COMMANDS && readThinCall(args) !== undefined;
  }

  async function run(call: ResidentRun): Promise<number> {
    running += 1;
    try {
      runner ??= loadRunner(build).catch(() => undefined);
      return await ((await runner)?.run(call) ?? elsewhere(call));
    } finally {
      running -= 1;
    }
  }

  return {
    calls: {},
    ready: 'listens',
    async close() {
      await server.close();
      for (const socket of open) socket.destroy();
      (await runner)?.close();
    },
  };
});

/**
 * The commands, as a process of their own has them: from one file with what V8 has compiled of it, where that is built.
 * `undefined`: another build lies there by now.
 */
async function loadRunner(build: string): Promise<ResidentRunner | undefined> {
  if (buildId() !== build) return undefined;
  const bundle = loadBundle<typeof import('../whole.ts')>(fileURLToPath(new URL('../whole.cjs', import.meta.url)));
  const { createRunner } = bundle?.exports ?? (await import('../whole.ts'));
  return createRunner();
}

function elsewhere({ decline }: ResidentRun): number {
  decline();
  return 3;
}
