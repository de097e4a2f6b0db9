/** One finding of `writ doctor`. */
export interface Check {
  readonly area: string;
  readonly title: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do; always there unless `ok`. */
  readonly todo?: string;
}

export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly source: string;
}
