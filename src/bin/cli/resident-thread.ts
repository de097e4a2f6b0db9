import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { loadBundle } from '../../adapters/processes/bundle.ts';
import { threadSide } from '../../adapters/threads/serve.ts';
import { listenForCommands } from '../../data-dir/command-socket.ts';
import { processIo } from '../../surfaces/cli/process-io.ts';
import { type ResidentRunner, residentCommands } from '../../surfaces/cli/resident/resident-commands.ts';
import { buildId, callIdentity } from './resident-call.ts';
import type { ResidentData, ResidentReady } from './resident-server.ts';

/** The thread of the API that runs commands for others of this host (docs/cli.md, "The short way"). */
threadSide<Record<never, never>, never, ResidentReady>().serve(async () => {
  const { directory, build } = workerData as ResidentData;
  const commands = await residentCommands({
    build,
    identity: callIdentity(),
    realPath: processIo().realPath,
    listen: (most, onConnection) => listenForCommands(directory, most, onConnection),
    load: () => loadRunner(build),
  });
  return commands === undefined ? { calls: {}, ready: 'stands by' } : { calls: {}, ready: 'listens', close: commands.close };
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
