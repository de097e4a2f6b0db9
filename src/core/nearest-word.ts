import { editDistance } from './edit-distance.ts';

/** Longer words are compared by their beginnings. */
const MAX_WORD = 200;

/** The word of a list that somebody may have meant by this one: the nearest, where few letters are between them. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const most = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
  const near = known.map((one) => ({ one, far: editDistance(plain(one), plain(word.slice(0, MAX_WORD)), most) })).sort((a, b) => a.far - b.far)[0];
  return near !== undefined && near.far <= most ? near.one : undefined;
}

/** Case and separators are what people get wrong first. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_.\s]/g, '');
}
