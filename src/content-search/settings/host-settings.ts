import type { ContentSettings } from '../io/settings.ts';
import type { HostsSettings } from '../ngram-index/serving/hosts.ts';
import type { IndexConfig } from './content-settings.ts';

/** What the settings say to index hosts; `read` is what searches are told of the same. */
export function hostsSettings(search: IndexConfig, read: Pick<ContentSettings, 'index' | 'globalIgnoreFile'>): HostsSettings {
  return {
    ...read.index,
    host: {
      mode: search.index_mode === 'auto' ? 'auto' : 'on',
      autoThresholdFiles: search.index_auto_threshold_files,
      autoThresholdBytes: search.index_auto_threshold_bytes,
      autoReevalCalls: search.index_auto_reeval_calls,
      watch: search.index_watch,
      retryOnFailure: search.index_retry_on_failure,
      checkpointOnShutdown: search.index_checkpoint_on_shutdown,
      integrityCheck: search.index_integrity_check,
      integrityPeriodCalls: search.index_integrity_period_calls,
      idleBoostMs: search.index_idle_boost_ms,
    },
    globalIgnoreFile: read.globalIgnoreFile,
    lockTimeoutMs: search.index_lock_timeout_ms,
    debounceMs: search.index_watch_debounce_ms,
    shutdownTimeoutMs: search.index_shutdown_timeout_ms,
    build: {
      timeoutMs: search.index_build_timeout_ms,
      maxCpuPercent: search.index_build_max_cpu_percent,
      throttleMs: search.index_build_throttle_ms,
      maxFiles: search.index_build_max_files,
      maxBytes: search.index_build_max_bytes,
    },
    maxDbBytes: search.index_max_db_bytes,
    maxIndexes: search.index_max_indexes,
  };
}
