import { oneLine, wrap } from '../text/wrap.ts';
import { hintsOf } from './hints.ts';
import { helpLines } from './keys.ts';
import { layoutOf } from './layout.ts';
import type { TuiState } from './state.ts';

/** What can lie over the results while it is asked for. */
const TEXTS = {
  none: (): readonly string[] => [],
  help: (): readonly string[] => helpLines(),
  explain: explainLines,
} as const;

export const OVERLAY_TITLES = { none: '', help: 'Keys', explain: 'How it was searched' } as const;

/** All lines of what lies over the results, as wide as the screen. */
export function overlayLines(state: TuiState): string[] {
  return TEXTS[state.overlay](state).flatMap((text) => wrap(oneLine(text), layoutOf(state).width));
}

/** The first line that is seen, of what was scrolled to. */
export function overlayTopOf(state: TuiState): number {
  return Math.max(0, Math.min(state.overlayTop, overlayLines(state).length - layoutOf(state).overlayRows));
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
