/**
 * Order of strings by Unicode code points (search-executor.md 7.1), U+0000 to U+10FFFF. JavaScript's `<` compares UTF-16
 * units, which puts U+1F600 before U+FF5E. Equals the order of the UTF-8 bytes.
 *
 * @returns below 0, 0 or above 0, as `Array.prototype.sort` wants it
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** A UTF-16 unit's place among code points: surrogates stand for U+10000 and above, so they come after U+E000 to U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Number of code points. A lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i += isPair(text, i) ? 2 : 1) length += 1;
  return length;
}

/** The UTF-16 index `count` code points before `index`, at least 0. */
export function stepBack(text: string, index: number, count: number): number {
  let i = index;
  for (let n = 0; n < count && i > 0; n += 1) i -= i >= 2 && isPair(text, i - 2) ? 2 : 1;
  return i;
}

/** The UTF-16 index `count` code points after `index`, at most the text's length. */
export function stepForward(text: string, index: number, count: number): number {
  let i = index;
  for (let n = 0; n < count && i < text.length; n += 1) i += isPair(text, i) ? 2 : 1;
  return Math.min(i, text.length);
}

function isPair(text: string, i: number): boolean {
  return (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
}
