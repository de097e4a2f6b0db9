import { packageRoot, packageVersion } from '../../../config/package.ts';
import type { OpenedContentTool } from '../../content-search/io/tool.ts';
import { createToolKeeper } from '../../content-search/io/tool-keeper.ts';
import { systemClock } from '../../core/clock.ts';
import type { ResidentRunner } from '../../surfaces/cli/resident/resident-commands.ts';
import type { ResidentRun } from '../../surfaces/cli/resident/serve.ts';
import type { CliDeps } from '../../surfaces/cli/services.ts';
import { readSettings } from './settings.ts';

/** Indexes that were searched lately. */
const MAX_KEPT = 2;
const KEPT_MS = 60_000;

/** Each command line has the program and the services of every other one; only its terminal and its environment are elsewhere. */
export function createResidentRunner(): ResidentRunner {
  const keeper = createToolKeeper<OpenedContentTool>(MAX_KEPT, KEPT_MS);

  async function run({ args, io, env, cwd, interrupted, gone, decline }: ResidentRun): Promise<number> {
    const { runCli } = await import('../../surfaces/cli/program.ts');
    const tools: Disposable[] = [];
    const elsewhere = async (): Promise<number> => decline();
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

  return { run, close: () => keeper.close() };
}
