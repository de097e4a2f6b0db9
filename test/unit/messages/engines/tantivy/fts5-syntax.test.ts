import { afterAll, describe, expect, it } from 'vitest';
import { Sqlite } from '../../../../../src/adapters/sqlite/driver.ts';
import { readFts5 } from '../../../../../src/messages/engines/tantivy/fts5-syntax.ts';
import type { Wanted } from '../../../../../src/messages/engines/tantivy/operators.ts';
import { joinedAsPhrases } from '../../../../../src/messages/search/sanitize.ts';
import { createRandom, type Random } from '../../../../support/random.ts';

/** Words of the texts, the number of rows of which each is a different arrangement. */
const WORDS = ['aa', 'ab', 'bb', 'bc'];
const ROWS = 200;

const random = createRandom(7);
const rows = Array.from({ length: ROWS }, () => ({ title: textOf(random, 3), body: textOf(random, 6) }));
const db = new Sqlite(':memory:');
db.exec('CREATE VIRTUAL TABLE texts USING fts5(subject, body)');
const insert = db.prepare('INSERT INTO texts (rowid, subject, body) VALUES (?, ?, ?)');
for (const [index, { title, body }] of rows.entries()) insert.run(index, title.join(' '), body.join(' '));
afterAll(() => db.close());

function textOf(from: Random, most: number): readonly string[] {
  return Array.from({ length: from.integer(most + 1) }, () => from.pick(WORDS));
}

function analyze(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z0-9]+/gu) ?? [];
}

/** What FTS5 finds; `undefined`: it is no expression. */
function foundByFts5(expression: string): readonly number[] | undefined {
  try {
    return db.prepare<[string], number>('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid').pluck().all(expression);
  } catch {
    return undefined;
  }
}

function has(row: (typeof rows)[number], wanted: Wanted): boolean {
  if (wanted.is === 'words') return hasWords(row, wanted);
  if (wanted.is === 'without') return has(row, wanted.keep) && !has(row, wanted.drop);
  return wanted.of[wanted.is === 'all' ? 'every' : 'some']((one) => has(row, one));
}

function hasWords(row: (typeof rows)[number], { words, open, parts }: Extract<Wanted, { is: 'words' }>): boolean {
  const begins = (part: readonly string[], at: number): boolean =>
    words.every((word, index) => (open && index === words.length - 1 ? part[at + index]?.startsWith(word) === true : part[at + index] === word));
  return words.length > 0 && parts.some((part) => row[part].some((_, at) => begins(row[part], at)));
}

/** Pieces of the grammar, put together by chance: half of it is no expression. */
const PIECES = ['aa', 'ab', '"bb bc"', '"--"', 'a', 'b', '*', '+', ' AND ', ' OR ', ' NOT ', '(', ')', 'subject', ':', '^', 'NEAR(', ', 2', '{body}:', '-'];

describe('the syntax of FTS5', () => {
  it('is read as FTS5 reads it: the same is refused, and the same rows are found', () => {
    const seen = { refused: 0, found: 0, onlyFts5: 0 };
    for (let index = 0; index < 20_000; index += 1) {
      const expression = Array.from({ length: 1 + random.integer(8) }, () => random.pick(PIECES)).join(random.pick(['', ' ', ' ']));
      const [read, expected] = [readFts5(expression, 'message', analyze), foundByFts5(expression)];
      expect({ expression, isRead: read !== undefined }).toEqual({ expression, isRead: expected !== undefined });
      expect({ expression, joined: foundByFts5(joinedAsPhrases(expression)) }).toEqual({ expression, joined: expected });
      if (read === undefined) seen.refused += 1;
      else if ('onlyFts5' in read) seen.onlyFts5 += 1;
      else {
        seen.found += 1;
        const ids = rows.flatMap((row, id) => (has(row, read.wanted) ? [id] : []));
        expect({ expression, ids }).toEqual({ expression, ids: expected });
      }
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(200);
  });

  it.each([
    ['NEAR(aa ab)', 'NEAR'],
    ['aa AND ^ab', 'the beginning of a column (^)'],
    ['{subject body}: aa', 'columns in braces or behind a minus'],
    ['- subject : aa', 'columns in braces or behind a minus'],
    ['subject:(aa OR body:ab)', 'a column within the brackets of another one'],
    ['a* + ab', 'a beginning within a phrase'],
  ])('%s is left to FTS5, and it is told why', (expression, onlyFts5) => {
    expect(readFts5(expression, 'message', analyze)).toEqual({ onlyFts5 });
  });
});
