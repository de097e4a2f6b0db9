/** What joins signs into one picture, or changes the one before: a joiner, the two presentations, skin, the frame of a key, tags. */
const JOINER = /(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu;
const SKIN = /(?<=\p{Extended_Pictographic}\ufe0f?)[\u{1f3fb}-\u{1f3ff}]/gu;
const CHANGES = /[\ufe0e\ufe0f\u20e3\u{e0020}-\u{e007f}]/gu;
const FLAG_LETTERS = /[\u{1f1e6}-\u{1f1ff}]/gu;

/**
 * The same signs without what only some terminals draw as one picture: there one takes two columns for a family and another
 * eight, and all behind it on the line is out of its place. A family is its members in a row, a flag its two letters.
 */
export function withSimpleSigns(text: string): string {
  return text
    .replace(SKIN, '')
    .replace(JOINER, '')
    .replace(CHANGES, '')
    .replace(FLAG_LETTERS, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0x1f1e6 + 0x41));
}
