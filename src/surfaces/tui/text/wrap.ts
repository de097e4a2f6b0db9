import { printableLine } from '../../cli/text/values.ts';
import { cells, characters } from './cells.ts';
import { withSimpleSigns } from './simple-signs.ts';

/** The most lines of one text; nobody scrolls further. */
const MAX_LINES = 5000;
const MAX_CHARACTERS = 400_000;

/** A text as lines of at most `width` columns, broken at spaces where possible, without control sequences. */
export function wrap(text: string, width: number): string[] {
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n[cut here: ${text.length} characters]` : text;
  const lines: string[] = [];
  for (const line of shown.split(/\r\n|\r|\n/)) {
    if (lines.length >= MAX_LINES) return [...lines.slice(0, MAX_LINES), '[cut here]'];
    lines.push(...wrapLine(withSimpleSigns(printableLine(line.toWellFormed())).replaceAll('\t', '    '), Math.max(1, width)));
  }
  return lines;
}

/** A text, e.g. a subject, as one line: without line ends and control sequences. */
export function oneLine(text: string): string {
  return withSimpleSigns(printableLine(text.toWellFormed().replace(/[\t\r\n]+/g, ' ')));
}

function wrapLine(line: string, width: number): string[] {
  if (cells(line) <= width) return [line];
  const lines: string[] = [];
  let current = '';
  let used = 0;
  // A word keeps the spaces after it.
  for (const word of line.match(/\S*\s*/gu) ?? []) {
    const size = cells(word.trimEnd());
    if (used > 0 && used + size > width) {
      lines.push(current.trimEnd());
      current = '';
      used = 0;
    }
    for (const piece of size > width ? pieces(word, width) : [word]) {
      if (used > 0 && used + cells(piece.trimEnd()) > width) {
        lines.push(current.trimEnd());
        current = '';
        used = 0;
      }
      current += piece;
      used += cells(piece);
    }
  }
  return current.trim() === '' ? lines : [...lines, current.trimEnd()];
}

/** The parts of a word that is longer than a line. */
function pieces(word: string, width: number): string[] {
  const parts: string[] = [];
  let part = '';
  for (const character of characters(word)) {
    if (part !== '' && cells(part + character) > width) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return [...parts, part];
}
