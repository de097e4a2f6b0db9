import { describe, expect, it } from 'vitest';
import { Sqlite } from '../../../../../src/adapters/sqlite/driver.ts';

describe('bm25 of an OR inside an AND', () => {
  it('is that of all words, but below a NOT without a branch that stood in a later row (a limit that docs/message-search.md names)', () => {
    const db = new Sqlite(':memory:');
    db.exec('CREATE VIRTUAL TABLE f USING fts5(b)');
    // In row 1 the phrase does not match; the word behind it in the OR has reached row 2 by then.
    for (const text of ['a x b c', 'c d', 'x', 'y', 'z']) db.prepare('INSERT INTO f (b) VALUES (?)').run(text);
    const score = (query: string) => db.prepare<[string], number>('SELECT bm25(f) FROM f WHERE f MATCH ? AND rowid = 2').pluck().get(query) ?? 0;
    expect(score('c AND ("a b" OR d)')).toBeCloseTo(score('c') + score('d'), 12);
    expect(score('(c AND ("a b" OR d)) NOT z')).toBe(score('c'));
    db.close();
  });
});
