/**
 * The contract of every benchmark: Writ and a peer do the same work, alternating in one run, five rounds after a
 * warm-up. Only ratios of one run are claims; absolute numbers depend on the machine and are metrics.
 */

/** Everything that Writ is compared with. */
export const PEERS = [
  'bullmq',
  'node',
  'cp',
  'rename_fsync',
  'find',
  'read',
  'duckdb',
  'rg_sorted',
  'rg_threads',
  'ugrep_sorted',
  'csearch',
  'cindex',
  'unindexed',
  'sqlite_bare',
  'sql_bare',
  'sqlite_vec',
  'tantivy_bare',
  'plain_js',
  'workers1',
  'shards1',
] as const;
export type Peer = (typeof PEERS)[number];

export const ROUNDS = 5;

/** What one side did in one round. */
export interface Round {
  /** `speed`: milliseconds that the work took, without set-up. `size`: bytes that it left. */
  readonly value: number;
  /** What was done, in a form that must be equal on both sides (a count, a hash, a list of results). */
  readonly work: unknown;
}

/** One comparison. Each side prepares and clears its own round inside its function and measures only the work. */
export interface Case {
  /** Lower case, `move_small` or `move.small`. */
  readonly name: string;
  readonly kind: 'speed' | 'size';
  readonly peer: Peer;
  readonly ours: () => Promise<Round>;
  readonly theirs: () => Promise<Round>;
  /** Rounds after the warm-up, where five are too few or too long. */
  readonly rounds?: number;
}

/** A suite that is set up: its cases run in order, then `metrics` may add numbers of its own, then it is closed. */
export interface OpenSuite {
  readonly cases: readonly Case[];
  readonly metrics?: () => Promise<Readonly<Record<string, number>>>;
  readonly close: () => Promise<void>;
}

/** What the command line says about the data that a suite works on. */
export interface SuiteOptions {
  /** Directory for generated data; a temporary one when absent. */
  readonly data?: string | undefined;
  /** Leaves generated data behind, for the next run with the same `data`. */
  readonly keep: boolean;
  /** Share of the real sizes, above 0 and at most 1. Anything but 1 is a trial and no measurement. */
  readonly scale: number;
}

export const FULL_SIZE: SuiteOptions = { keep: false, scale: 1 };

export interface Suite {
  /** One sentence for the list of suites. */
  readonly what: string;
  /** A suite without generated data has no use for the options. */
  readonly open: (options: SuiteOptions) => Promise<OpenSuite>;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The last line of a run with `--json`. */
export interface Report {
  readonly suite: string;
  readonly metrics: Readonly<Record<string, number>>;
  /** `<case>.speed_vs_<peer>`: 1 is level, higher is better. `<case>.size_vs_<peer>`: ours / theirs. */
  readonly ratios: Readonly<Record<string, Spread>>;
}

const CASE_NAME = /^[a-z0-9]+(?:[._][a-z0-9]+)*$/;
const RATIO_NAME = new RegExp(`^[a-z0-9]+(?:[._][a-z0-9]+)*\\.(?:speed|size)_vs_(?:${PEERS.join('|')})$`);

/** The name under which a case's ratio is reported. Throws RangeError on a case name that would make it ambiguous. */
export function ratioName({ name, kind, peer }: Pick<Case, 'name' | 'kind' | 'peer'>): string {
  if (!CASE_NAME.test(name) || name.includes('_vs_')) throw new RangeError(`not a case name: ${name}`);
  return `${name}.${kind}_vs_${peer}`;
}

/** Throws RangeError when a report breaks the contract: wrong ratio name, `_vs_` in a metric, a number that is none. */
export function checkReport(report: Report): Report {
  for (const name of Object.keys(report.ratios)) if (!RATIO_NAME.test(name)) throw new RangeError(`not a ratio name: ${name}`);
  for (const name of Object.keys(report.metrics)) if (name.includes('_vs_')) throw new RangeError(`a metric must not be named like a ratio: ${name}`);
  const numbers = [...Object.values(report.metrics), ...Object.values(report.ratios).flatMap(({ median, min, max }) => [median, min, max])];
  if (!numbers.every(Number.isFinite)) throw new RangeError('a report holds finite numbers only');
  return report;
}

/** Median (mean of the middle two for an even count), least and greatest. Throws RangeError on an empty list. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  if (sorted.length === 0) throw new RangeError('no values');
  const middle = sorted.length >> 1;
  return { median: sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2, min: at(0), max: at(sorted.length - 1) };
}
