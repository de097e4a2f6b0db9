import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boundedWords, piecesOf } from '../../../src/messages/search/bounded-words.ts';
import { normalText } from '../../../src/messages/search/sanitize.ts';
import { HOSTILE_PART } from '../../support/hostile-words.ts';
import { mailboxFile } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';

describe('an expression', () => {
  let mailbox: ReturnType<typeof mailboxFile>;
  beforeAll(() => {
    mailbox = mailboxFile(BOX);
  });
  afterAll(() => mailbox.remove());

  it('that is not read as FTS5 reads it is none for FTS5 either', () => {
    const match = mailbox.db.prepare('SELECT count(*) FROM fts_messages WHERE fts_messages MATCH ?');
    fc.assert(
      fc.property(fc.array(HOSTILE_PART, { maxLength: 12 }), (parts) => {
        const one = normalText(parts.join(''));
        if (piecesOf(one) === undefined) expect(() => match.get(one)).toThrow(Error);
      }),
      { numRuns: 500 },
    );
  });

  it('means the same within the bounds, but for repeated words and letters with a star', () => {
    const ids = mailbox.db.prepare<[string], number>('SELECT rowid FROM fts_messages WHERE fts_messages MATCH ? ORDER BY rowid').pluck();
    const word = fc.constantFrom('plan', 'draft', 'build', 'pl*', 'dra*', '"build plan"', 'the');
    const expression = fc
      .array(fc.tuple(word, fc.constantFrom(' ', ' AND ', ' OR ')), { minLength: 1, maxLength: 12 })
      .map((units) => units.map(([unit, join], at) => (at === 0 ? unit : `${join}${unit}`)).join(''));
    fc.assert(
      fc.property(expression, (one) => {
        expect(ids.all(boundedWords(one).expression ?? '')).toEqual(ids.all(one));
      }),
    );
  });
});
