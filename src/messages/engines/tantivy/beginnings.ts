import { MAX_PREFIX } from './schema.ts';

/** A word as the index knows beginnings: cut to the longest of them, in code points. */
export function beginningOf(word: string): string {
  return word.length <= MAX_PREFIX ? word : [...word].slice(0, MAX_PREFIX).join('');
}

/** The beginnings of all words, with spaces between them. */
export function beginningsOf(words: readonly string[]): string {
  const all: string[] = [];
  for (const word of words) {
    const points = [...word];
    for (let length = 1; length <= Math.min(points.length, MAX_PREFIX); length += 1) all.push(points.slice(0, length).join(''));
  }
  return all.join(' ');
}
