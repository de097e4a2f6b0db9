/** Lengths in characters. */
export const MAX = { id: 200, name: 64, path: 400, reason: 600, word: 80 } as const;

export function counts(from: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.flatMap((name) => (count(from[name]) === undefined ? [] : [[name, Number(from[name])]])));
}

export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Text that would not stay on its line: controls, separators of lines, marks that turn the direction, halves of characters. */
const UNRULY = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The beginning of a text in one line, without what a terminal or a browser would act on; '' for what is no text. */
export function cut(value: unknown, most: number): string {
  if (typeof value !== 'string') return '';
  const text = value.slice(0, most).replace(UNRULY, '\u{fffd}');
  return value.length > most ? `${text}…` : text;
}
