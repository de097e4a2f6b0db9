import { describe, expect, it } from 'vitest';
import { Sqlite } from '../../../../src/adapters/sqlite/driver.ts';
import { withoutMarks } from '../../../../src/messages/text/marks.ts';
import { folded } from '../../../../src/messages/text/words.ts';

const SCRIPTS = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** What FTS5 makes of texts, as the store has it. */
function tokensOf(texts: readonly string[]): readonly string[] {
  const db = new Sqlite(':memory:');
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(b, tokenize = 'porter unicode61 remove_diacritics 2'); CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')`);
  const insert = db.prepare('INSERT INTO t (rowid, b) VALUES (?, ?)');
  for (const [index, text] of texts.entries()) insert.run(index, text);
  const found = texts.map(() => '');
  for (const { doc, term } of db.prepare<[], { doc: number; term: string }>('SELECT doc, term FROM v ORDER BY doc, offset').all()) found[doc] += `${term} `;
  db.close();
  return found;
}

describe('a text without marks', () => {
  it.each([
    ['Настройка ёжик Її', 'Настроика ежик Іі'],
    ['Διαμόρφωση ΰ ᾷ', 'Διαμορφωση υ α'],
    ['الكِتَابُ أإآ', 'الكتاب ااا'],
    ['שָׁלוֹם', 'שלום'],
    ['настройка'.normalize('NFD'), 'настроика'],
    ['Ǽ', 'Æ'],
  ])('of %s is %s', (text, bare) => {
    expect([withoutMarks(text), withoutMarks(bare)]).toEqual([bare, bare]);
  });

  it.each(['café Ệ', 'が ガ 가', 'हिन्दी', 'ไทยที่', 'a\u0301 \u064b "x"*', 'AND (subject:plan OR 計画)'])('of %s is the same', (text) => {
    expect(withoutMarks(text)).toBe(text);
  });

  it('has, for every letter of these scripts, the words of FTS5 that a text without any accent has', () => {
    const letters = Array.from({ length: 0x1_0000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((letter) => /\p{L}/u.test(letter) && SCRIPTS.test(letter) && folded(letter) !== letter.toLowerCase());
    const words = (change: (letter: string) => string): readonly string[] => tokensOf(letters.map((letter) => `q${change(letter)}q`));
    expect(letters.length).toBeGreaterThan(800);
    expect(words(withoutMarks)).toEqual(words(folded));
  });
});
