import type { Command } from 'commander';
import { packageRoot } from '../config/package.ts';
import { systemClock } from '../src/core/clock.ts';
import { processIo } from '../src/surfaces/cli/process-io.ts';
import { commandTree } from '../src/surfaces/cli/program.ts';

/** Every command with its words and options, for those who write or check pages about them; none of them can be run. */
export function describedCommands(): Promise<Command> {
  const refuse = (): never => {
    throw new Error('a described command is not run');
  };
  return commandTree({
    version: '0',
    packageRoot: packageRoot(),
    io: processIo(),
    clock: systemClock,
    open: refuse,
    openContentSearch: refuse,
    roles: { up: refuse, api: refuse, worker: refuse, kernel: refuse, 'index-host': refuse },
    interrupted: refuse,
  });
}
