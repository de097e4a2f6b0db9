/** What a ratio is wanted to be, by suite and ratio: at least so much for a speed, at most so much for a size. */
export const WANTED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  api: { 'bulk.speed_vs_bullmq': 0.6 },
  cli: {
    'version.speed_vs_node': 0.6,
    'status.speed_vs_node': 0.45,
    'push.speed_vs_node': 0.45,
    'search.speed_vs_node': 0.45,
    'search.speed_vs_rg_threads': 3,
  },
  file: { 'move64.speed_vs_rename_fsync': 1.1, 'move1.speed_vs_rename_fsync': 0.4, 'copy1g.speed_vs_cp': 0.9 },
  index: {
    'absent.speed_vs_rg_threads': 40,
    'rare.speed_vs_rg_threads': 40,
    'regex.speed_vs_rg_threads': 10,
    'absent.speed_vs_csearch': 0.8,
    'rare.speed_vs_csearch': 0.8,
    'common.speed_vs_csearch': 0.8,
    'regex.speed_vs_csearch': 0.3,
    'common.speed_vs_unindexed': 0.95,
    'build.speed_vs_cindex': 1,
    'index.size_vs_csearch': 1.1,
  },
  plan: { 'plan1000.speed_vs_bullmq': 0.25, 'plan2.speed_vs_bullmq': 0.3 },
  'search-executor': { 'csv.speed_vs_duckdb': 0.9, 'jsonl.speed_vs_duckdb': 0.33 },
  throughput: { 'noop.speed_vs_bullmq': 0.5, 'latency100.speed_vs_bullmq': 0.4 },
};

export function wantedOf(suite: string, ratio: string): number | undefined {
  return WANTED[suite]?.[ratio];
}

/** Whether a ratio is as wanted; of a size less is better. */
export function isMet(ratio: string, median: number, wanted: number): boolean {
  return ratio.includes('.size_vs_') ? median <= wanted : median >= wanted;
}
