/** What is searched for, as an agent asks it: a pattern and nothing else. */
export interface Asked {
  readonly name: 'absent' | 'rare' | 'common' | 'fitting' | 'regex';
  readonly pattern: string;
  /** The pattern is no literal text. */
  readonly isExpression?: boolean;
}

export const ASKED = [
  { name: 'absent', pattern: 'zqx_no_such_symbol' },
  { name: 'rare', pattern: 'zap_page_range_single' },
  { name: 'common', pattern: 'struct device' },
  { name: 'regex', pattern: 'EXPORT_SYMBOL_GPL\\(dev_[a-z]+\\)', isExpression: true },
] as const satisfies readonly Asked[];
