import path from 'node:path';
import { packageRoot, packageVersion } from '../../config/package.ts';
import { keepModulesCompiled } from '../adapters/processes/keep-modules.ts';
import { systemClock } from '../core/clock.ts';
import { createInterrupt, outliveReaders } from '../surfaces/cli/process-end.ts';
import { processIo } from '../surfaces/cli/process-io.ts';
import { loadGroups, runCli } from '../surfaces/cli/program.ts';
import type { ResidentRunner } from '../surfaces/cli/resident/resident-commands.ts';
import type { CliDeps, GlobalOptions } from '../surfaces/cli/services.ts';
import type { UpContext } from './roles/context.ts';

/** Runs one command line in this process and answers its exit code. */
export function runWhole(args: readonly string[]): Promise<number> {
  keepModulesCompiled(path.join(packageRoot(), 'dist', '.compiled'));
  return runCli(args, createCliDeps(packageVersion()));
}

/** What runs command lines of other processes in this one. */
export async function createRunner(): Promise<ResidentRunner> {
  return (await import('./cli/resident-run.ts')).createResidentRunner();
}

/** Loads what short commands need and runs nothing, so that a bundle can be compiled with all of it. */
export async function loadCommands(): Promise<void> {
  await Promise.all([
    loadGroups(),
    ...[import('./cli/services.ts'), import('./cli/status.ts'), import('./producer-side.ts'), import('./results.ts'), import('./signatures.ts')],
    ...[import('./content.ts'), import('../content-search/io/tool.ts'), import('./messages.ts'), import('../kernel/index.ts')],
    ...[import('../../queues/connection.ts'), import('../surfaces/cli/push/push-all.ts'), import('../surfaces/cli/search/render.ts')],
  ]);
}

/** The same with all roles. */
export async function loadRoles(): Promise<void> {
  const roles = [import('./roles/up.ts'), import('./roles/worker.ts'), import('./roles/api.ts'), import('./roles/kernel.ts'), import('./roles/index-host.ts')];
  await Promise.all([loadCommands(), import('./cli/settings.ts'), import('../observability/logging.ts'), import('../reload/live-settings.ts'), ...roles]);
}

/** What the command line gets in this process. Everything heavy is imported when a command asks for it. */
function createCliDeps(version: string): CliDeps {
  return {
    version,
    packageRoot: packageRoot(),
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
  outliveReaders();
  const [{ readSettings, settingsArgs }, { createLogger }, { holdSettings }, { rollingLog }] = await Promise.all([
    ...([import('./cli/settings.ts'), import('../observability/logging.ts'), import('../reload/live-settings.ts')] as const),
    import('../adapters/linux/rolling-log.ts'),
  ]);
  const settings = readSettings(options);
  const { config, file } = settings.loaded;
  const rotation = { file: rollingLog({ directory: settings.places.logs, keep: config.log.keep }), settings: config.log };
  return {
    config,
    places: settings.places,
    reloadable: { settings: holdSettings(config), read: () => readSettings(options).loaded.config, file },
    log: createLogger(config.log.level, role, { traces: config.tracing.enabled, rotation }),
    options,
    settingsArgs: settingsArgs(options, settings),
  };
}
