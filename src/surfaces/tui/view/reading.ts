import { scrollOf } from '../model/actions.ts';
import { previewOf } from '../model/preview.ts';
import { selectedResult, type TuiState } from '../model/state.ts';
import { fitted, type Line, marked, rule, span } from './spans.ts';

/** The preview: a rule, the subject, who and when, and `rows` lines of the body; three lines more than `rows`. */
export function readingLines(state: TuiState, rows: number, width: number): Line[] {
  const result = selectedResult(state);
  const focused = state.focus === 'preview';
  if (result === undefined) return [rule('Preview', width, focused), ...Array.from({ length: rows + 2 }, () => fitted([], width))];
  const { title, head, lines } = previewOf(result, state.found?.text ?? '', width);
  const top = scrollOf(state);
  const place = lines.length <= rows ? '' : `${top + 1}–${Math.min(lines.length, top + rows)} of ${lines.length}`;
  return [
    rule('Preview', width, focused, place),
    fitted(marked(title, 'strong'), width),
    fitted([span(head, 'dim')], width),
    ...Array.from({ length: rows }, (_, at) => fitted(marked(lines[top + at] ?? []), width)),
  ];
}
