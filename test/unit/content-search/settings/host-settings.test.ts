import { describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../../config/schema.ts';
import { userSettings } from '../../../../src/content-search/settings/content-settings.ts';
import { hostsSettings } from '../../../../src/content-search/settings/host-settings.ts';

const READ = userSettings(
  ConfigSchema.parse({}),
  { searchPath: '/bin', cache: {}, gitIgnoreFile: '/home/me/git/ignore' },
  { backend: undefined, stats: false, indexed: undefined },
);

const told = (search: Record<string, unknown>) => hostsSettings(ConfigSchema.parse({ tools: { search } }).tools.search, READ);

describe('what the settings say to index hosts', () => {
  it('is auto where the mode is auto, and on where it is on', { tags: ['FR-LSI-IDX-01'] }, () => {
    expect(['auto', 'on'].map((index_mode) => told({ index_mode }).host.mode)).toEqual(['auto', 'on']);
  });

  it('is each number and switch in its own place', () => {
    const { host, build, ...rest } = told({
      ...{ index_auto_threshold_files: 11, index_auto_threshold_bytes: 12, index_auto_reeval_calls: 13, index_watch: false },
      ...{ index_retry_on_failure: true, index_checkpoint_on_shutdown: false, index_integrity_check: 'off', index_integrity_period_calls: 14 },
      ...{ index_idle_boost_ms: 15, index_lock_timeout_ms: 16, index_watch_debounce_ms: 17, index_shutdown_timeout_ms: 18 },
      ...{ index_build_timeout_ms: 19, index_build_max_cpu_percent: 20, index_build_throttle_ms: 21, index_build_max_files: 22 },
      ...{ index_build_max_bytes: 23, index_max_db_bytes: 2_000_000_000, index_max_indexes: 24 },
    });
    expect(host).toMatchObject({
      ...{ autoThresholdFiles: 11, autoThresholdBytes: 12, autoReevalCalls: 13, watch: false, retryOnFailure: true, checkpointOnShutdown: false },
      ...{ integrityCheck: 'off', integrityPeriodCalls: 14, idleBoostMs: 15 },
    });
    expect(build).toEqual({ timeoutMs: 19, maxCpuPercent: 20, throttleMs: 21, maxFiles: 22, maxBytes: 23 });
    expect(rest).toMatchObject({ lockTimeoutMs: 16, debounceMs: 17, shutdownTimeoutMs: 18, maxDbBytes: 2_000_000_000, maxIndexes: 24 });
  });

  it('is the time of a build, however short that of searches is', { tags: ['LSI-BUD-GEN', 'FR-LSI-BUD-INIT-01.1'] }, () => {
    for (const [default_timeout_ms, index_build_timeout_ms] of [
      [1_000, 300_000],
      [60_000, 2_000],
    ]) {
      expect(told({ default_timeout_ms, index_build_timeout_ms }).build.timeoutMs).toBe(index_build_timeout_ms);
    }
  });
});
