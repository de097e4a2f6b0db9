import { sourceOf } from '../model/actions.ts';
import { FACETS, NO_FACETS } from '../model/facets.ts';
import type { Hint } from '../model/hints.ts';
import { keyLine, OVERLAY_KEY_LINES } from '../model/keys.ts';
import type { TuiState } from '../model/state.ts';
import { cells, characters } from '../text/cells.ts';
import { oneLine, wrap } from '../text/wrap.ts';
import { ends, fitted, type Line, type Span, span } from './spans.ts';

const LONGEST_VALUE = 20;

/** `Writ · messages            12 results · fts5 · 0.8 ms` */
export function titleBar(state: TuiState, width: number): Line {
  return ends([span('Writ', 'title'), span(' · message search', 'dim')], [span(statusOf(state), state.failure === undefined ? 'dim' : 'error')], width);
}

function statusOf({ found, searching, failure }: TuiState): string {
  if (searching) return 'searching…';
  if (failure !== undefined) return 'failed';
  if (found === undefined) return '';
  const { explain } = found.answer;
  const count = Math.max(explain?.matched_count ?? 0, found.results.length);
  const more = explain?.matched_count === undefined && found.next !== undefined ? '+' : '';
  return [
    `${count}${more} result${count === 1 && more === '' ? '' : 's'}`,
    explain?.engine === undefined ? '' : `${explain.engine}${explain.method === explain.engine ? '' : ` ${explain.method}`}`,
    explain?.timing === undefined ? '' : `${(explain.timing.total_us / 1000).toFixed(1)} ms`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** The query box; a longer text scrolls with the caret. */
export function queryBar({ text, caret, focus }: TuiState, width: number): Line {
  const focused = focus === 'query';
  const label = span('Search: ', focused ? 'focus' : 'strong');
  if (text === '' && !focused) return fitted([label, span('(everything, newest first)', 'dim')], width);
  const room = Math.max(1, width - cells(label.text) - 1);
  let before = oneLine(text.slice(0, caret));
  while (cells(before) > room - 1) before = characters(before).slice(1).join('');
  const [at = ' ', ...rest] = characters(oneLine(text.slice(caret)));
  return fitted([label, span(before), focused ? span(at, 'caret') : span(at), span(rest.join(''))], width);
}

/** The facets with the key of each, in two lines; those that are set stand out. */
export function facetBars(state: TuiState, width: number): [Line, Line] {
  const source = sourceOf(state);
  const spans = FACETS.map((row): Line => {
    const value = state.facets[row.name];
    const shown = oneLine(row.shown(value, source));
    const idle = row.messagesOnly && (state.facets.kind === 'agent' || state.facets.kind === 'project');
    const short =
      characters(shown).length > LONGEST_VALUE
        ? `${characters(shown)
            .slice(0, LONGEST_VALUE - 1)
            .join('')}…`
        : shown;
    return [
      span(`${row.key} `, 'dim'),
      span(`${row.title} `, 'plain'),
      span(short, idle ? 'dim' : value === NO_FACETS[row.name] ? 'strong' : 'active'),
      span('  ', 'plain'),
    ];
  });
  const first: Span[] = [];
  const second: Span[] = [];
  let used = 0;
  for (const facet of spans) {
    const size = facet.reduce((sum, { text }) => sum + cells(text), 0);
    const line = second.length === 0 && used + size - 2 <= width ? first : second;
    line.push(...facet);
    used += size;
  }
  return [fitted(first, width), fitted(second, width)];
}

const TONES = { error: 'error', warn: 'warn', info: 'plain' } as const;
const MARKS = { error: '✗ ', warn: '⚠ ', info: '· ' } as const;

/** The most important hints in exactly `lines` lines; where they do not fit, the last line says where the rest is. */
export function hintBars(hints: readonly Hint[], lines: number, width: number): Line[] {
  const all = hints.flatMap(({ tone, text }) =>
    wrap(text, width - 2).map((part, at): Line => [span(at === 0 ? MARKS[tone] : '  ', TONES[tone]), span(part, TONES[tone])]),
  );
  return Array.from({ length: lines }, (_, at) => {
    const line = all[at] ?? [];
    return at === lines - 1 && all.length > lines ? ends(fitted(line, width - 9), [span(' more: e', 'dim')], width) : fitted(line, width);
  });
}

export function keyBar(state: TuiState, width: number): Line {
  return fitted([span(state.overlay === 'none' ? keyLine(state.focus) : OVERLAY_KEY_LINES[state.overlay], 'dim')], width);
}
