/** What is searched for. */
export interface Wanted {
  readonly name: 'absent' | 'rare' | 'common' | 'regex';
  readonly pattern: string;
  readonly fixedStrings: boolean;
}

export const WANTED = [
  { name: 'absent', pattern: 'zqx_no_such_symbol', fixedStrings: true },
  { name: 'rare', pattern: 'zap_page_range_single', fixedStrings: true },
  { name: 'common', pattern: 'struct device', fixedStrings: true },
  { name: 'regex', pattern: 'EXPORT_SYMBOL_GPL\\(dev_[a-z]+\\)', fixedStrings: false },
] as const satisfies readonly Wanted[];
