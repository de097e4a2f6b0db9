import type { Socket } from 'node:net';
import type { CliIo } from '../services.ts';
import { readThinCall } from './commands.ts';
import { type ResidentRun, serveCall } from './serve.ts';

/** Runs commands for other processes. */
export interface ResidentRunner {
  /** Runs one command line; its exit code. */
  run(call: ResidentRun): Promise<number>;
  /** Closes what was kept open for the next command. */
  close(): void;
}

export interface ResidentCommandsOptions {
  /** What this program was built from, and who this process is: a call must bring the same along. */
  readonly build: string;
  readonly identity: string;
  readonly realPath: CliIo['realPath'];
  /** Opens the socket; `undefined`: somebody else has it. */
  readonly listen: (most: number, onConnection: (socket: Socket, secret: string) => void) => Promise<{ close(): Promise<void> } | undefined>;
  /** Loads the commands, when the first one comes. `undefined`, or an error: they cannot be had, and each runs in its own process. */
  readonly load: () => Promise<ResidentRunner | undefined>;
}

/** Commands at a time; who comes beyond runs its own. */
const MAX_COMMANDS = 32;

/** Takes commands of other processes and has them run here; `undefined`: somebody else does. Whatever listens is light, and what runs them is not. */
export async function residentCommands(options: ResidentCommandsOptions): Promise<{ close(): Promise<void> } | undefined> {
  const { build, identity, realPath, listen, load } = options;
  const open = new Set<Socket>();
  let running = 0;
  let runner: Promise<ResidentRunner | undefined> | undefined;
  const server = await listen(2 * MAX_COMMANDS, (socket, secret) => {
    open.add(socket);
    void serveCall(socket, { build, secret, identity, admit, realPath, run }).then(() => open.delete(socket));
  });
  return server && { close };

  function admit(args: readonly string[]): boolean {
    return running < MAX_COMMANDS && readThinCall(args) !== undefined;
  }

  async function run(call: ResidentRun): Promise<number> {
    running += 1;
    try {
      runner ??= load().catch(() => undefined);
      return await ((await runner)?.run(call) ?? call.decline());
    } finally {
      running -= 1;
    }
  }

  async function close(): Promise<void> {
    await server?.close();
    for (const socket of open) socket.destroy();
    (await runner)?.close();
  }
}
