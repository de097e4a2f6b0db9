import type { SearchResult } from '../../../contracts/index.ts';
import { timeOf } from '../model/preview.ts';
import { selectedResult, type TuiState } from '../model/state.ts';
import { highlight, termsOf } from '../text/highlight.ts';
import { oneLine } from '../text/wrap.ts';
import { column, fitted, type Line, marked, type Style, span } from './spans.ts';

const IMPORTANCE = { urgent: '!!', high: '! ', normal: '  ', low: '↓ ' } as const;
const NARROW = 70;

/** Exactly `rows` lines of `width` columns: the results around the selected one. */
export function listLines(state: TuiState, rows: number, width: number): Line[] {
  const results = state.found?.results ?? [];
  if (results.length === 0) return padded([fitted([span(emptyText(state), 'dim')], width)], rows, width);
  // The list moves by whole pages, so it stands still while the selection moves within one.
  const top = Math.floor(state.selected / rows) * rows;
  const terms = termsOf(state.found?.text ?? '');
  const lines = results.slice(top, top + rows).map((result) => resultLine(result, result === selectedResult(state), terms, width));
  return padded(lines, rows, width);
}

function emptyText({ found, searching, failure }: TuiState): string {
  if (failure !== undefined) return '(no results: the search failed)';
  if (searching || found === undefined) return '(searching)';
  return '(nothing found)';
}

function resultLine(result: SearchResult, selected: boolean, terms: ReturnType<typeof termsOf>, width: number): Line {
  const style: Style = selected ? 'selected' : 'plain';
  const dim: Style = selected ? 'selected' : 'dim';
  const columns = COLUMNS[result.doc_kind](result, width);
  const used = columns.reduce((sum, { size }) => sum + size + 1, 2);
  const title = marked(highlight(oneLine(result.title), terms), style, selected ? 'selectedHit' : 'hit');
  const cell = (side: 'left' | 'right'): Line =>
    columns
      .filter((one) => one.side === side)
      .flatMap((one) => (side === 'left' ? [...column(one.text, one.size, dim), span(' ', style)] : [span(' ', style), ...column(one.text, one.size, dim)]));
  const middle = fitted(title, Math.max(1, width - used)).map((part) => (part.style === 'plain' ? { ...part, style } : part));
  return [span(selected ? '› ' : '  ', style), ...cell('left'), ...middle, ...cell('right')];
}

interface Cell {
  readonly side: 'left' | 'right';
  readonly text: string;
  readonly size: number;
}

const score = ({ score: value }: SearchResult): Cell => ({ side: 'right', text: value === undefined ? '' : value.toFixed(2), size: 4 });

const COLUMNS = {
  message: (result: SearchResult, width: number): Cell[] => [
    {
      side: 'left',
      text: result.created_ts === undefined ? '' : timeOf(result.created_ts).slice(width < NARROW ? 5 : 0, width < NARROW ? 10 : 16),
      size: width < NARROW ? 5 : 16,
    },
    { side: 'left', text: IMPORTANCE[result.importance ?? 'normal'] + (result.ack_required === true ? 'A' : ''), size: 3 },
    { side: 'left', text: oneLine(result.from_agent ?? '?'), size: 11 },
    ...(width < NARROW ? [] : [{ side: 'right', text: oneLine(result.thread_id ?? ''), size: 8 } as const]),
    score(result),
  ],
  agent: (result: SearchResult): Cell[] => [{ side: 'left', text: '(agent)', size: 9 }, score(result)],
  project: (result: SearchResult): Cell[] => [{ side: 'left', text: '(project)', size: 9 }, score(result)],
} as const;

function padded(lines: readonly Line[], rows: number, width: number): Line[] {
  return Array.from({ length: rows }, (_, at) => lines[at] ?? fitted([], width));
}
