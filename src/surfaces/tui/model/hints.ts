import type { QueryExplain, SearchResponse } from '../../../contracts/index.ts';
import { oneLine } from '../text/wrap.ts';
import { MAX_ROWS } from './query.ts';
import type { Found, TuiState } from './state.ts';

/** A sentence under the results: `warn` when the search did something else than was asked for. */
export interface Hint {
  readonly tone: 'error' | 'warn' | 'info';
  readonly text: string;
}

/** Hints about the screen as it is, the most important first. */
export function hintsOf(state: TuiState): Hint[] {
  const { found, failure } = state;
  return [
    ...(failure === undefined ? [] : [{ tone: 'error', text: `The search failed: ${failure}` } as const]),
    ...(state.notice === undefined ? [] : [{ tone: 'info', text: state.notice } as const]),
    ...(found === undefined ? [] : foundHints(found)),
    ...typingHints(state.text),
  ].map(({ tone, text }) => ({ tone, text: oneLine(text) }));
}

function foundHints(found: Found): Hint[] {
  const { answer } = found;
  return [
    ...degradedHints(answer),
    ...(answer.retry === undefined ? [] : [{ tone: 'warn', text: `Nothing matches these words; looked for instead: ${answer.retry.text}` } as const]),
    ...(found.partOfOldest ? [{ tone: 'warn', text: `Oldest first among the newest ${MAX_ROWS} only; narrow the search to see older ones.` } as const] : []),
    ...(answer.explain === undefined ? [] : noteHints(answer.explain)),
    ...assistanceHints(answer),
    ...(found.results.length === 0 ? guidanceHints(answer) : []),
  ];
}

/** Hints of a degraded search, which must never look like the one that was asked for (message-search.md 6.3). */
function degradedHints({ explain, diagnostics }: SearchResponse): Hint[] {
  const hints: Hint[] = [];
  if (explain?.mode_downgraded === true) {
    const why = explain.downgrade_reason === undefined ? '' : `: ${explain.downgrade_reason}`;
    hints.push({
      tone: 'warn',
      text: `Degraded: ${explain.requested_mode ?? 'the mode'} is not available, searched ${explain.actual_mode ?? 'otherwise'} (${explain.engine ?? '?'})${why}`,
    });
  }
  if (explain?.used_like_fallback === true) {
    hints.push({ tone: 'warn', text: 'Degraded: not a query that the index can read; its words were looked for one by one, newest first.' });
  }
  if (diagnostics?.degraded === true) {
    if (hints.length === 0)
      hints.push({ tone: 'warn', text: `Degraded: ${diagnostics.search_index_reason ?? diagnostics.fallback_mode ?? 'see explain (e)'}` });
    hints.push(...(diagnostics.remediation_hints ?? []).map((text): Hint => ({ tone: 'info', text })));
  }
  return hints;
}

function noteHints(explain: QueryExplain): Hint[] {
  return [
    ...(explain.order_changed === true
      ? [{ tone: 'info', text: 'Mail came in between: the order of this page is not quite that of the one before.' } as const]
      : []),
    ...(explain.cursor_invalidated ? [{ tone: 'warn', text: 'The place in the list was lost: the results begin at the front again.' } as const] : []),
  ];
}

function assistanceHints({ assistance }: SearchResponse): Hint[] {
  const meant = (assistance?.did_you_mean ?? []).map(({ token, suggested_field, value }) => `${token} → ${suggested_field}:${value}`);
  const ignored = (assistance?.applied_filter_hints ?? []).map(({ field, value }) => `${field}:${value}`);
  return [
    ...(ignored.length === 0 ? [] : [{ tone: 'info', text: `Not used as a filter, only as words: ${ignored.join(', ')}` } as const]),
    ...(meant.length === 0 ? [] : [{ tone: 'info', text: `Did you mean ${meant.join(', ')}?` } as const]),
  ];
}

function guidanceHints({ guidance }: SearchResponse): Hint[] {
  if (guidance === undefined) return [];
  const steps = (guidance.suggestions ?? []).map(({ label, detail }) => (detail === undefined ? label : `${label} (${detail})`));
  return [{ tone: 'info', text: steps.length === 0 ? guidance.summary : `Try: ${steps.join(' · ')}` }];
}

const OPERATOR = /^(?:AND|OR|NOT)$/i;

/** Hints before the search: quotes that do not close, operators alone. */
function typingHints(text: string): Hint[] {
  const hints: Hint[] = [];
  if ((text.match(/"/g) ?? []).length % 2 === 1) hints.push({ tone: 'info', text: 'A quotation mark is open.' });
  const words = text.trim().split(/\s+/);
  if (words.some((word) => word !== '') && words.every((word) => OPERATOR.test(word))) {
    hints.push({ tone: 'info', text: 'AND, OR and NOT stand between words; alone they find nothing.' });
  }
  return hints;
}
