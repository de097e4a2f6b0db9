import type { Config } from '../../../config/schema.ts';
import type { WorkerHealth } from '../../../processors/worker-health.ts';
import { queueName } from '../../../queues/catalog.ts';
import { createConfinedFileSystem } from '../../adapters/linux/confined-fs/index.ts';
import type { createInstanceRegistry } from '../../adapters/linux/instances.ts';
import { createFileJournal } from '../../adapters/sqlite/journal/journal.ts';
import { systemClock } from '../../core/clock.ts';
import { lifecycle } from '../../core/lifecycle.ts';
import type { HostMemory } from '../../core/ports/index.ts';
import { type BaseChange, createReloadableFileExecutor, type FileExecutorOptions } from '../../executors/file/index.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { traceCalls } from '../../observability/tracing/calls.ts';
import type { Tracer } from '../../observability/tracing/tracer.ts';
import type { RoleContext, TestHooks } from './context.ts';
import { journalTrimmer } from './journal-trimmer.ts';
import type { QueueService } from './wire-pipeline.ts';

/** File tasks: the journal, and the file executor with its memory. */
export function fileService(
  { config, places, log, reloadable }: RoleContext,
  instances: ReturnType<typeof createInstanceRegistry>,
  { metrics, tracer, health }: { readonly metrics: Metrics; readonly tracer: Tracer | undefined; readonly health: Pick<WorkerHealth, 'watchPlaces'> },
  hooks: TestHooks,
): QueueService & { readonly memory: HostMemory } {
  const journal = createFileJournal({ file: places.journal, onCommit: (commit) => countCommit(metrics, commit) });
  const optionsOf = ({ file }: Config): FileExecutorOptions => ({
    bases: Object.entries(file.base_directories).map(([id, path]) => ({ id, path })),
    fileSystem: createConfinedFileSystem({ level: file.confinement, allowedFilesystems: [...file.filesystems] }),
    journal: traceCalls(journal, { open: 'intent' }, tracer),
    instances,
    limits: {
      maxRunMs: file.max_run_s * 1000,
      maxBytes: file.max_bytes,
      hashMaxBytes: file.hash_max_bytes,
      vaultQuotaBytes: file.vault_quota_bytes,
    },
    clock: systemClock,
    settleMs: file.settle_s * 1000,
    onBaseChange({ base, path, what, why }: BaseChange) {
      const place = `base:${base}`;
      if (what === 'exchanged') return log.error({ place, path, why }, LOG_LINES.placeExchanged.message);
      log.warn({ place, path, what, why }, LOG_LINES.placeTakenUp.message);
    },
    onRecovery: (decision) => metrics.inc('writ_recoveries_total', { decision }),
    ...(hooks.onPoint ? { onPoint: hooks.onPoint } : {}),
  });
  const executor = createReloadableFileExecutor(optionsOf(config));
  const states = () => executor.bases.states().map(({ id, ok, detail }) => ({ name: `base:${id}`, ok, detail }));
  const bases = ({ file }: Config): string[] => Object.keys(file.base_directories).map((id) => `base:${id}`);
  health.watchPlaces(bases(config), states);
  reloadable?.settings.follow(async (next, now) => {
    if (next.file === now.file) return undefined;
    const { commit, abandon } = await executor.prepare(optionsOf(next));
    return { commit: () => [commit(), health.watchPlaces(bases(next), states)], abandon };
  });
  const trimmer = journalTrimmer(journal, { config, log, metrics });
  const removeStale = lifecycle(
    async () => {
      instances.removeStale(new Set((await journal.openAttempts()).map(({ process }) => process.instance)));
    },
    () => undefined,
  );
  return {
    queue: queueName('file', config.pool.id),
    concurrency: config.worker.file_concurrency,
    executors: [executor],
    memory: executor.memory,
    parts: [journal, removeStale, trimmer, executor],
  };
}

function countCommit(metrics: Metrics, { requests, seconds }: { requests: number; seconds: number }): void {
  metrics.observe('writ_journal_commit_seconds', {}, seconds);
  metrics.observe('writ_journal_commit_requests', {}, requests);
}
