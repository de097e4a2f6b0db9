import type { Line, Style } from './spans.ts';

/** How each style looks (ECMA-48 SGR), and its colour where there are any: what has one is told apart without it, too. */
const LOOKS: Readonly<Record<Style, { readonly look: string; readonly colour?: string }>> = {
  plain: { look: '' },
  dim: { look: '2' },
  strong: { look: '1' },
  title: { look: '1', colour: '36' },
  focus: { look: '1;4', colour: '36' },
  hit: { look: '1', colour: '33' },
  selected: { look: '7' },
  selectedHit: { look: '7;1;4' },
  caret: { look: '7' },
  warn: { look: '', colour: '33' },
  error: { look: '1', colour: '31' },
  active: { look: '1', colour: '32' },
};

/** A line as a terminal gets it. */
export function painted(line: Line, colours: boolean): string {
  return line
    .map(({ text, style }) => {
      const { look, colour } = LOOKS[style];
      const codes = [look, colours ? colour : undefined].filter((code) => code !== undefined && code !== '').join(';');
      return codes === '' || text === '' ? text : `\u001b[${codes}m${text}\u001b[0m`;
    })
    .join('');
}
