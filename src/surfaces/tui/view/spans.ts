import { cells, characters } from '../text/cells.ts';
import type { Segment } from '../text/highlight.ts';

/** The style of a piece of a line. Nothing is told by colour alone: many terminals have none. */
export type Style = 'plain' | 'dim' | 'strong' | 'title' | 'focus' | 'hit' | 'selected' | 'selectedHit' | 'caret' | 'warn' | 'error' | 'active';

export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One line of the screen. */
export type Line = readonly Span[];

export const span = (text: string, style: Style = 'plain'): Span => ({ text, style });

/** A line of exactly `width` columns: padded with spaces, or cut with an ellipsis. */
export function fitted(line: Line, width: number): Line {
  const total = line.reduce((sum, { text }) => sum + cells(text), 0);
  if (total <= width) return total === width ? line : [...line, span(' '.repeat(width - total), line.at(-1)?.style === 'selected' ? 'selected' : 'plain')];
  const kept: Span[] = [];
  let room = Math.max(0, width - 1);
  for (const { text, style } of line) {
    const part = start(text, room);
    kept.push({ text: part, style });
    room -= cells(part);
    if (part !== text) {
      // A wide character that did not fit leaves a column.
      if (width > 0) kept.push(span(`…${' '.repeat(room)}`, style));
      break;
    }
  }
  return kept;
}

/** A column of text: exactly `width` columns. */
export function column(text: string, width: number, style: Style = 'plain'): Line {
  return fitted([span(text, style)], width).map((part) => ({ ...part, style }));
}

/** A line with words at its left and at its right end. */
export function ends(left: Line, right: Line, width: number): Line {
  const size = (line: Line): number => line.reduce((sum, { text }) => sum + cells(text), 0);
  const between = width - size(left) - size(right);
  if (between < 1) return fitted([...left, span(' '), ...right], width);
  return [...left, span(' '.repeat(between)), ...right];
}

/** `── Title ─────` */
export function rule(title: string, width: number, focused: boolean, right = ''): Line {
  const end = right === '' ? '' : ` ${right} ──`;
  const used = 4 + cells(title) + cells(end);
  return fitted([span('── ', 'dim'), span(title, focused ? 'focus' : 'strong'), span(` ${'─'.repeat(Math.max(0, width - used))}${end}`, 'dim')], width);
}

/** The words of a line with the matches marked. */
export function marked(segments: readonly Segment[], style: Style = 'plain', hit: Style = 'hit'): Line {
  return segments.map((segment) => span(segment.text, segment.hit ? hit : style));
}

function start(text: string, width: number): string {
  if (cells(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of characters(text)) {
    used += cells(character);
    if (used > width) break;
    kept += character;
  }
  return kept;
}
