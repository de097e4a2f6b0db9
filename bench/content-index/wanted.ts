/** What is searched for, as an agent asks it: a pattern and nothing else. */
export interface Asked {
  readonly name: 'absent' | 'rare' | 'common';
  readonly pattern: string;
}

export const ASKED = [
  { name: 'absent', pattern: 'zqx_no_such_symbol' },
  { name: 'rare', pattern: 'zap_page_range_single' },
  { name: 'common', pattern: 'struct device' },
] as const satisfies readonly Asked[];
