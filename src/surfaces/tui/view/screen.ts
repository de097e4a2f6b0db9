import { hintsOf } from '../model/hints.ts';
import { type Layout, layoutOf, SMALLEST } from '../model/layout.ts';
import type { TuiState } from '../model/state.ts';
import { facetBars, hintBars, keyBar, queryBar, titleBar } from './bars.ts';
import { listLines } from './list.ts';
import { overlay } from './overlays.ts';
import { readingLines } from './reading.ts';
import { fitted, type Line, rule, span } from './spans.ts';

/** The whole screen, line by line: one line less than the terminal has, none wider than it. */
export function screenOf(state: TuiState): Line[] {
  const layout = layoutOf(state);
  const { width, height } = layout;
  if (state.columns < SMALLEST.columns || state.rows < SMALLEST.rows) {
    return [fitted([span(`This needs ${SMALLEST.columns}x${SMALLEST.rows}; here are ${state.columns}x${state.rows}. Ctrl-C quits.`)], Math.max(1, width))];
  }
  const above = [titleBar(state, width), queryBar(state, width), ...facetBars(state, width)];
  const below = [...hintBars(hintsOf(state), 2, width), keyBar(state, width)];
  const room = height - above.length - below.length;
  return [...above, ...middle(state, layout, room), ...below];
}

function middle(state: TuiState, layout: Layout, room: number): Line[] {
  if (state.overlay !== 'none') return overlay(state, room, layout.width);
  const list = [rule('Results', layout.listWidth, state.focus === 'results', placeOf(state)), ...listLines(state, layout.listRows, layout.listWidth)];
  if (!layout.beside) {
    // Without room for both, the one with the focus is seen.
    if (layout.previewRows === 0) return state.focus === 'preview' ? readingLines(state, room - 3, layout.width) : list;
    return [...list, ...readingLines(state, layout.previewRows, layout.previewWidth)];
  }
  const reading = readingLines(state, layout.previewRows, layout.previewWidth);
  return list.map((line, at) => [...line, span('  '), ...(reading[at] ?? [])]);
}

function placeOf({ found, selected }: TuiState): string {
  if (found === undefined || found.results.length === 0) return '';
  const loaded = found.results.length;
  const count = Math.max(loaded, found.answer.explain?.matched_count ?? 0);
  return `${selected + 1} of ${count}${count > loaded ? ` (${loaded} here, n: more)` : ''}`;
}
