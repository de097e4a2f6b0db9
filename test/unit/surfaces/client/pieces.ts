import fc from 'fast-check';

/** The bytes of a text, cut wherever the numbers say, also inside a character and with empty pieces. */
export async function* cut(text: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const borders = [0, ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [index, from] of borders.slice(0, -1).entries()) yield bytes.slice(from, borders[index + 1]);
}

/** All values of a sequence. */
export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

/** Places at which a stream is cut. */
export const cuts = fc.array(fc.nat(), { maxLength: 40 });
/** A line of text. */
export const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((line) => line.replace(/[\r\n\uFEFF]|\p{Surrogate}/gu, '·'));
