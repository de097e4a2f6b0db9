#!/usr/bin/env node
import nodeModule from 'node:module';
import path from 'node:path';
import { packageRoot, packageVersion } from '../../config/package.ts';
import { systemClock } from '../core/clock.ts';
import { runCli } from '../surfaces/cli/program.ts';
import type { CliDeps, GlobalOptions } from '../surfaces/cli/services.ts';
import { processIo } from './cli/io.ts';
import type { UpContext } from './roles/context.ts';

/** The `writ` command: runs one command line and ends with its exit code, once everything that it said is written. */
let isRole = false;
process.stdout.on('error', brokenPipe);
process.stderr.on('error', brokenPipe);
process.once('beforeExit', unsettled);
keepCompiled();
const code = await runCli(process.argv.slice(2), createCliDeps(packageVersion()));
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));

/**
 * From Node 22.1 on, what is imported from here on is compiled for the first run only. Beside the modules, never in the
 * shared temporary directory: whoever can write the cache decides what is run. Where nobody may write there, nothing is kept.
 */
function keepCompiled(): void {
  const { enableCompileCache } = nodeModule as typeof nodeModule & { enableCompileCache?: (directory: string) => unknown };
  enableCompileCache?.(path.join(packageRoot(), 'dist', '.compiled'));
}

/** A reader that has seen enough (`writ vault list | head`) is no error. A role works on when nobody listens any more. */
function brokenPipe(error: NodeJS.ErrnoException): void {
  if (isRole) return;
  process.exit(error.code === 'EPIPE' ? 0 : 3);
}

/** Nothing is left that could end the command; Node's own answer would be a bare 13. */
function unsettled(): void {
  process.stderr.write('writ: the command waits for something that cannot come any more (INTERNAL)\n', () => process.exit(3));
}

/** What the command line gets in this process. Everything heavy is imported when a command asks for it. */
function createCliDeps(version: string): CliDeps {
  return {
    version,
    io: processIo(),
    clock: systemClock,
    open: async (options) => (await import('./cli/services.ts')).openServices(options),
    openContentSearch: async (options, search) => (await import('./content.ts')).openLocalSearch(options, search),
    roles: {
      up: async (options, { once }) => (await import('./roles/up.ts')).runUp(await roleContext(options, 'up'), { once: once === true }),
      worker: async (options, { queues }) => (await import('./roles/worker.ts')).runWorker(await roleContext(options, 'worker'), queues),
      api: async (options, { indexHost }) => (await import('./roles/api.ts')).runApi(await roleContext(options, 'api'), { indexHost: indexHost === true }),
      kernel: async (options) => (await import('./roles/kernel.ts')).runKernel(await roleContext(options, 'kernel')),
      'index-host': async (options) => (await import('./roles/index-host.ts')).runIndexHost(await roleContext(options, 'index')),
    },
    interrupted: createInterrupt(),
  };
}

async function roleContext(options: GlobalOptions, role: string): Promise<UpContext> {
  isRole = true;
  const [{ readSettings, settingsArgs }, { createLogger }] = await Promise.all([import('./cli/settings.ts'), import('../observability/logging.ts')]);
  const settings = readSettings(options);
  const { config } = settings.loaded;
  return {
    config,
    places: settings.places,
    log: createLogger(config.log.level, role, { traces: config.tracing.enabled }),
    options,
    settingsArgs: settingsArgs(options, settings),
  };
}

/** The first Ctrl-C asks a command to end in order, the second ends the process. */
function createInterrupt(): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (controller) return controller.signal;
    const asked = new AbortController();
    controller = asked;
    const onSignal = (): void => {
      if (asked.signal.aborted) process.exit(1);
      asked.abort();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    return asked.signal;
  };
}
