const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|.\ufe0f)/su;
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]/u;
const PLAIN = /^[ -~]*$/;

/** The characters of a text as a person counts them. */
export function characters(text: string): string[] {
  return PLAIN.test(text) ? [...text] : [...graphemes.segment(text)].map(({ segment }) => segment);
}

/** The first character of a text; '' of an empty one. Line ends and other control characters are characters, too. */
export function firstCharacter(text: string): string {
  const unit = text.charCodeAt(0);
  if (unit < 0x20 || unit === 0x7f) return text.slice(0, 1);
  // The segmenter reads all of its input; characters of more than 64 units do not occur in practice.
  return graphemes.segment(text.slice(0, 64))[Symbol.iterator]().next().value?.segment ?? '';
}

/** Columns of a terminal that a text without control characters takes. */
export function cells(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return characters(text).reduce((sum, character) => sum + cellsOf(character), 0);
}

function cellsOf(character: string): number {
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
