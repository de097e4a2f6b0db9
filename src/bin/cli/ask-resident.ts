import path from 'node:path';
import { carriedEnvironment } from '../../../config/caller.ts';
import { packageRoot } from '../../../config/package.ts';
import { dataDirectory } from '../../../config/places.ts';
import { commandSecretFile, connectToCommands } from '../../data-dir/command-socket.ts';
import { dataDirPaths } from '../../data-dir/paths.ts';
import { runThinly } from '../../surfaces/cli/resident/run-thinly.ts';
import { buildId, callIdentity } from './resident-call.ts';

/** Has the API of the data directory run a command line. The exit code; `undefined`: this process must run it. */
export function askApi(args: readonly string[]): Promise<number | undefined> {
  const cwd = process.cwd();
  const env = carriedEnvironment();
  return runThinly(args, {
    build: buildId(),
    env,
    cwd,
    identity: callIdentity,
    resident(typed) {
      const dataDir = typed === undefined ? dataDirectory({ environment: env, cwd, root: packageRoot() }) : path.resolve(cwd, typed);
      const { commands } = dataDirPaths(dataDir);
      return { secretFile: commandSecretFile(commands), connect: () => connectToCommands(commands) };
    },
  });
}
