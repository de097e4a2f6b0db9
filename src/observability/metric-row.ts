import type { LabelValues, MetricRole } from './labels.ts';

/** One metric, as the contract names it. */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Of the values; the name carries it where it is a base unit. `state`: 1 for yes, 0 for no. */
  readonly unit:
    | 'seconds'
    | 'bytes'
    | 'tasks'
    | 'jobs'
    | 'events'
    | 'requests'
    | 'slots'
    | 'processes'
    | 'descriptors'
    | 'markers'
    | 'connections'
    | 'streams'
    | 'searches'
    | 'files'
    | 'lines'
    | 'plans'
    | 'indexes'
    | 'entries'
    | 'spans'
    | 'state';
  /** One sentence. */
  readonly help: string;
  /** Label → the values that it may have. */
  readonly labels: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
  /** Who exposes it. */
  readonly roles: readonly MetricRole[];
}

/** One kind of log line. */
export interface EventRow {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** The line's `msg`; what follows in the line are the fields. */
  readonly message: string;
  readonly fields: readonly string[];
  readonly roles: readonly (MetricRole | 'up')[];
  /** One sentence. */
  readonly help: string;
}
