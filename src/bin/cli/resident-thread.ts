import type { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import { packageRoot, packageVersion } from '../../../config/package.ts';
import { threadSide } from '../../adapters/threads/serve.ts';
import type { OpenedContentTool } from '../../content-search/io/tool.ts';
import { createToolKeeper } from '../../content-search/io/tool-keeper.ts';
import { systemClock } from '../../core/clock.ts';
import { listenForCommands } from '../../data-dir/command-socket.ts';
import { processIo } from '../../surfaces/cli/process-io.ts';
import { readThinCall } from '../../surfaces/cli/resident/commands.ts';
import { type ResidentRun, serveCall } from '../../surfaces/cli/resident/serve.ts';
import type { CliDeps } from '../../surfaces/cli/services.ts';
import { callIdentity } from './resident-call.ts';
import { readSettings } from './settings.ts';

export interface ResidentData {
  readonly directory: string;
  readonly build: string;
}

/** What the thread says when it has opened: whether it listens, or somebody else of this user does. */
export type ResidentReady = 'listens' | 'stands by';

/** Commands at a time; who comes beyond runs its own. */
const MAX_COMMANDS = 32;

/** The thread of the API that runs commands for others of this host (docs/cli.md, "The short way"). */
threadSide<Record<never, never>, never, ResidentReady>().serve(async () => {
  const { directory, build } = workerData as ResidentData;
  const open = new Set<Socket>();
  const identity = callIdentity();
  const { realPath } = processIo();
  let running = 0;
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
      return await runCommand(call);
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
      keeper.close();
    },
  };
});

/** Indexes that were searched lately. */
const MAX_KEPT = 2;
const KEPT_MS = 60_000;
const keeper = createToolKeeper<OpenedContentTool>(MAX_KEPT, KEPT_MS);

/** One command line, with the program and the services of every other one; only its terminal and its environment are elsewhere. */
async function runCommand({ args, io, env, cwd, interrupted, gone, decline }: ResidentRun): Promise<number> {
  const { runCli } = await import('../../surfaces/cli/program.ts');
  const tools: Disposable[] = [];
  const elsewhere = async (): Promise<number> => {
    decline();
    return 3;
  };
  const deps: CliDeps = {
    version: packageVersion(),
    packageRoot: packageRoot(),
    io,
    clock: systemClock,
    async open(options) {
      const settings = readSettings(options, { env, cwd });
      // Spans of a command belong to a process of its own.
      if (settings.loaded.config.tracing.enabled) decline();
      return (await import('./services.ts')).openServices(options, settings);
    },
    async openContentSearch(options, search) {
      const tool = await (await import('../content.ts')).openLocalSearch(options, search, { env, cwd }, keeper);
      tools.push(tool);
      return tool;
    },
    roles: { up: elsewhere, worker: elsewhere, api: elsewhere, kernel: elsewhere, 'index-host': elsewhere },
    interrupted,
    gone,
  };
  try {
    return await runCli(args, deps);
  } finally {
    for (const tool of tools) tool[Symbol.dispose]();
  }
}
