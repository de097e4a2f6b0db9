import os from 'node:os';
import type { ContentSettings } from '../../src/content-search/io/settings.ts';
import type { HostsSettings } from '../../src/content-search/ngram-index/serving/hosts.ts';

/** An index of one tree with everything by default, but for the pace: the bench waits for the build, so it goes at full speed. */
export function indexSettings(cacheRoot: string): HostsSettings {
  return {
    mode: 'on',
    cacheRoot,
    storageMode: 'sqlite',
    storageFallback: null,
    ngramK: 3,
    maxTokenizedBytes: 1_048_576,
    bloomTargetFpRate: 0.01,
    host: {
      mode: 'on',
      autoThresholdFiles: 2000,
      autoThresholdBytes: 500_000_000,
      watch: true,
      retryOnFailure: false,
      checkpointOnShutdown: true,
      integrityCheck: 'off',
      autoReevalCalls: 100,
      integrityPeriodCalls: 200,
      idleBoostMs: 0,
    },
    globalIgnoreFile: '',
    lockTimeoutMs: 250,
    debounceMs: 250,
    shutdownTimeoutMs: 5_000,
    build: { timeoutMs: 600_000, maxCpuPercent: 100, throttleMs: 0, maxFiles: 0, maxBytes: 0 },
    maxDbBytes: 4 * 2 ** 30,
    maxIndexes: 10,
  };
}

/** The tool of one tree, with ripgrep. */
export function toolSettings(root: string, index: HostsSettings): ContentSettings {
  return {
    allowedRoots: [root],
    indexRoots: [],
    indexBudget: { fraction: 0.25, maxMs: 2_000, maxFiles: 50_000 },
    deniedPatterns: [],
    includeDefaultDenies: true,
    allowAbsolute: false,
    binaries: ['rg'],
    searchPath: process.env['PATH'] ?? '',
    defaultTimeoutMs: 600_000,
    defaultMaxResults: 10_000_000,
    emitStats: false,
    fuzzyFallback: undefined,
    lanes: Math.min(3, os.availableParallelism() + 1),
    globalIgnoreFile: '',
    index,
  };
}
