/** One panel of a dashboard, as short as it can be said. Durations are seconds, units are Grafana's names. */
export interface Panel {
  readonly title: string;
  readonly description: string;
  readonly kind: 'timeseries' | 'stat';
  readonly unit: Unit;
  readonly queries: Queries;
  /** None: no value is good or bad by itself. */
  readonly thresholds?: Thresholds;
  /** Grid columns of 24. */
  readonly width: 6 | 8 | 12;
}

type Unit = 'ops' | 'percentunit' | 's' | 'short' | 'bytes';

/** Legend → PromQL, for all pools: the generator chooses among them. */
type Queries = Readonly<Record<string, string>>;

/** Values from which a panel turns yellow and red; `below`: it is low values that are bad. */
export interface Thresholds {
  readonly warn: number;
  readonly bad: number;
  readonly below?: true;
}

/** The window of a rate, as Grafana fills it in. */
export const RATE = '$__rate_interval';

/** A number and its recent course. */
export function stat(title: string, description: string, unit: Unit, queries: Queries, thresholds?: Thresholds): Panel {
  return { kind: 'stat', width: 6, title, description, unit, queries, ...(thresholds === undefined ? {} : { thresholds }) };
}

/** Lines over time. */
export function series(title: string, description: string, unit: Unit, queries: Queries, thresholds?: Thresholds): Panel {
  return { kind: 'timeseries', width: 8, title, description, unit, queries, ...(thresholds === undefined ? {} : { thresholds }) };
}
