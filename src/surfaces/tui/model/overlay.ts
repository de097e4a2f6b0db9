import { oneLine, wrap } from '../text/wrap.ts';
import { hintsOf } from './hints.ts';
import { helpLines } from './keys.ts';
import { layoutOf } from './layout.ts';
import { linkOf } from './link.ts';
import { isList, rowsToPick } from './lists.ts';
import { timeOf } from './preview.ts';
import { recipesInOrder } from './shelf.ts';
import type { TuiState } from './state.ts';

/** The text of each overlay. */
const TEXTS = {
  none: (): readonly string[] => [],
  help: (): readonly string[] => helpLines(),
  explain: explainLines,
  link: (state: TuiState): readonly string[] => [linkOf(state), '', "Starts this search again: writ tui '<link>'"],
  save: ({ naming }: TuiState): readonly string[] => [`Name: ${naming.text.slice(0, naming.caret)}▏${naming.text.slice(naming.caret)}`],
  recipes: recipeRows,
  history: historyRows,
} as const;

export const OVERLAY_TITLES = {
  none: '',
  help: 'Keys',
  explain: 'How it was searched',
  link: 'Link',
  save: 'Save this search as a recipe',
  recipes: 'Recipes',
  history: 'Past searches',
} as const;

/** All lines of the overlay, as wide as the screen. */
export function overlayLines(state: TuiState): string[] {
  const lines = TEXTS[state.overlay](state).map(oneLine);
  return isList(state.overlay) ? lines : lines.flatMap((text) => wrap(text, layoutOf(state).width));
}

/** The first line of the overlay that is seen. */
export function overlayTopOf(state: TuiState): number {
  const { overlayRows } = layoutOf(state);
  // In a list the chosen row is always seen.
  if (isList(state.overlay)) return Math.max(0, Math.min(state.picked, rowsToPick(state) - 1) - overlayRows + 1);
  return Math.max(0, Math.min(state.overlayTop, overlayLines(state).length - overlayRows));
}

function recipeRows({ shelf, picked }: TuiState): readonly string[] {
  const rows = recipesInOrder(shelf).map(
    ({ name, link, pinned, uses }, at) => `${at === picked ? '›' : ' '} ${pinned ? '*' : ' '} ${name}  ${link}  (used ${uses}×)`,
  );
  return rows.length === 0 ? ['No recipes yet: w keeps the search that is on the screen.'] : rows;
}

function historyRows({ shelf, picked }: TuiState): readonly string[] {
  const rows = shelf.history.map(({ link, results, at }, row) => `${row === picked ? '›' : ' '} ${timeOf(at * 1000)}  ${results} found  ${link}`);
  return rows.length === 0 ? ['No past searches yet: Enter in the query notes one.'] : rows;
}

function explainLines(state: TuiState): string[] {
  const hints = hintsOf(state).map(({ text }) => `· ${text}`);
  const explain = state.found?.answer.explain;
  if (explain === undefined) return [...hints, 'The search gave no explanation.'];
  const { timing, facets_applied: facets, notes = [] } = explain;
  const { total_us = 0, ...parts } = timing ?? {};
  const times = Object.entries(parts).map(([name, us]) => `${name.replace('_us', '')} ${us} µs`);
  return [
    ...hints,
    `method      ${explain.method}, engine ${explain.engine ?? '-'}`,
    `mode        asked ${explain.requested_mode ?? '-'}, used ${explain.actual_mode ?? '-'}${explain.mode_downgraded ? ' (downgraded)' : ''}`,
    `query       ${explain.normalized_query ?? '(words in the tables)'}`,
    `facets      ${facets.length === 0 ? 'none' : facets.join(', ')}`,
    `scope       ${explain.scope_policy}; denied ${explain.denied_count}, redacted ${explain.redacted_count}`,
    `matched     ${explain.matched_count ?? '-'}`,
    `time        ${total_us} µs${times.length === 0 ? '' : `: ${times.join(', ')}`}`,
    ...notes.map((note) => `note        ${note}`),
    `sql         ${explain.sql === '' ? '-' : explain.sql}`,
  ];
}
