import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervise } from '../../adapters/processes/supervise.ts';
import { createEmbeddedRedis } from '../../adapters/redis/embedded.ts';
import { indexRefusal } from '../../content-search/settings/refusals.ts';
import { type Lifecycle, sequential, together } from '../../core/lifecycle.ts';
import { LOG_LINES, roleLine } from '../../observability/log-lines.ts';
import type { UpContext } from './context.ts';

const RESTART_MS = 250;
/** A role drains by itself; this is for one that hangs. */
const STOP_MARGIN_MS = 10_000;
/** File tasks wait in system calls (fsync): the default of 4 threads would make 64 of them wait for each other. */
const IO_THREADS = 16;

/**
 * What `writ up` runs. Roles are processes of their own, so that one may be killed. Each waits for nobody but Redis; they
 * drain one after the other, the kernel last.
 */
export function upParts(context: UpContext): Lifecycle {
  const host = indexRefusal(context.config) === undefined ? [role('index-host', context)] : [];
  const roles = together([role('kernel', context), role('worker', context), role('api', context), ...host]);
  return sequential(context.config.redis.url === '' ? [embeddedRedis(context), roles] : [roles]);
}

function embeddedRedis({ config, places, log }: UpContext): Lifecycle {
  return createEmbeddedRedis({
    directory: places.redis,
    port: config.redis.port,
    appendOnly: config.redis.append_only,
    maxmemoryBytes: config.redis.max_memory_mb * 1024 * 1024,
    log: (line) => log.debug({ line }, 'redis'),
    onRestart: (said) => log.warn({ said }, LOG_LINES.redisAgain.message),
  });
}

function role(name: 'kernel' | 'worker' | 'api' | 'index-host', { config, places, settingsArgs, log }: UpContext): Lifecycle {
  return supervise({
    name,
    args: [fileURLToPath(mainScript()), name, ...settingsArgs],
    logFile: path.join(places.logs, `${name}.log`),
    ioThreads: IO_THREADS,
    restartMs: RESTART_MS,
    stopMs: config.worker.drain_ms + STOP_MARGIN_MS,
    onEvent: (child) => log[roleLine(child.what).level]({ child }, roleLine(child.what).message),
  });
}

/** This program itself, from `dist` or from the sources. */
function mainScript(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? '../writ.ts' : '../writ.js', import.meta.url);
}
