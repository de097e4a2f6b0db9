import { wellFormed } from '../../../core/i-json.ts';
import { escapeHtml } from '../pages/html.ts';

/** Markup of ours, as far from text of others as a type can be. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | undefined | readonly Piece[];

/** Characters of one text of others on a page. */
const MAX_TEXT = 2000;

/** A template in which every text is escaped and bounded; only what `html` itself has made stands as it is. */
export function html(words: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(words.map((word, at) => word + markupOf(pieces[at])).join(''));
}

function markupOf(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'string') return escapeHtml(visible(piece, MAX_TEXT));
  if (typeof piece === 'number') return String(piece);
  return piece.map(markupOf).join('');
}

/** Text of others on several lines, for `pre`. @param most characters */
export function lines(text: string, most: number): Html {
  const whole = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return new Html(
    whole
      .split('\n')
      .map((line) => escapeHtml(visible(line, most)))
      .join('\n'),
  );
}

/** Text of others with every character to be seen: controls, marks that turn the direction and the like as `\u202e`. */
export function visible(text: string, most: number): string {
  const whole = wellFormed(text.length > most ? `${text.slice(0, most - 1)}…` : text);
  return whole.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/** A part of an address of this server. */
export function part(text: string): string {
  return encodeURIComponent(wellFormed(text));
}
