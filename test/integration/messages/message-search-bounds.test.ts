import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boundedWords, MAX_PREFIXES, piecesOf } from '../../../src/messages/search/bounded-words.ts';
import { normalText } from '../../../src/messages/search/sanitize.ts';
import { HOSTILE_PART } from '../../support/hostile-words.ts';
import { mailboxFile } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';

type Unit = [word: string, join: string];
const TOO_MANY_PREFIXES: [Unit[]] = [[...Array.from({ length: MAX_PREFIXES }, (): Unit => ['pl*', ' ']), ['dra*', ' OR ']]];

const WORD = fc.constantFrom('plan', 'draft', 'a*', 'p *', 'pl*', '"build p"*', '"say ""plan"""', '_', '_*', '""', '\u001a', '\u0301', '中*', 'NEAR');
const STRUCTURE = fc.constantFrom('plan + a*', '^ plan', 'subject:a*', '{subject body}: pl*', '- subject : (plan)', 'NEAR(plan b*, 5)');
/** Most of it FTS5 can parse, of all its syntax: columns, NEAR, joined and first words, brackets, words of signs alone, and stars behind one letter. */
const { mixed: MIXED } = fc.letrec<{ mixed: string; some: string }>((tie) => ({
  some: fc.oneof({ weight: 6, arbitrary: WORD }, STRUCTURE, { weight: 1, arbitrary: tie('mixed').map((inner) => `(${inner})`) }),
  mixed: joined(tie('some'), ' AND ', ' OR ', ' NOT '),
}));
const SYNTAX = fc.oneof(joined(WORD, ' ', ' AND '), joined(WORD, ' ', ' OR '), joined(WORD, ' ', ' AND ', ' OR '), MIXED);

function joined(some: fc.Arbitrary<string>, ...joins: string[]): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(some, fc.constantFrom(...joins)), { minLength: 1, maxLength: 6 })
    .map((units) => units.map(([unit, join], at) => (at === 0 ? unit : `${join}${unit}`)).join(''));
}

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

  it('that FTS5 can parse is no error within the bounds, and means the same where nothing is noted', () => {
    const ids = mailbox.db.prepare<[string], number>('SELECT rowid FROM fts_messages WHERE fts_messages MATCH ? ORDER BY rowid').pluck();
    const ask = (one: string): readonly number[] | undefined => {
      try {
        return ids.all(one);
      } catch {
        return undefined;
      }
    };
    fc.assert(
      fc.property(SYNTAX, fc.constantFrom(1, 2), (one, shortest) => {
        const found = ask(one);
        const { expression, notes } = boundedWords(one, shortest);
        if (found === undefined || expression === undefined) return;
        const within = ids.all(expression);
        if (notes.length === 0) expect(within).toEqual(found);
      }),
      { numRuns: 300, examples: [['plan plan AND _', 2]] },
    );
  });

  it('means the same within the bounds, but for repeated words and letters with a star; only a mixed one of too many prefixes is not asked', () => {
    const ids = mailbox.db.prepare<[string], number>('SELECT rowid FROM fts_messages WHERE fts_messages MATCH ? ORDER BY rowid').pluck();
    const word = fc.constantFrom('plan', 'draft', 'build', 'pl*', 'dra*', '"build plan"', 'the');
    const units = fc.array(fc.tuple(word, fc.constantFrom(' ', ' AND ', ' OR ')), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(units, (list) => {
        const one = list.map(([unit, join], at) => (at === 0 ? unit : `${join}${unit}`)).join('');
        const { expression } = boundedWords(one);
        // Nothing can be left out of it, repetitions neither (D181). A list has two prefixes here, each once; 12 units have at most 24 words.
        const ors = list.slice(1).filter(([, join]) => join === ' OR ').length;
        const isMixed = ors > 0 && ors < list.length - 1;
        const prefixes = list.filter(([unit]) => unit.endsWith('*')).length;
        expect(expression === undefined).toBe(isMixed && prefixes > MAX_PREFIXES);
        const found = ids.all(one);
        if (expression !== undefined) expect(ids.all(expression)).toEqual(found);
      }),
      { examples: [TOO_MANY_PREFIXES] },
    );
  });
});
