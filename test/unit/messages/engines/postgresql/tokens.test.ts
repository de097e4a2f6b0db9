import { describe, expect, it } from 'vitest';
import { readExpression } from '../../../../../src/messages/engines/postgresql/expression.ts';
import { createTokens } from '../../../../../src/messages/engines/postgresql/tokens.ts';

describe('the words of a copy', () => {
  it('are those of the store, without accents and points, in texts and in expressions', () => {
    const tokens = createTokens();
    expect(tokens.wordsOf([['Настройка', 'الكِتَابُ café', '', '']])).toEqual([{ vector: "'cafe':19B 'настроика':1A 'الكتاب':18B", count: 3 }]);
    expect(tokens.analyze('Ёжики σφάλμα')).toEqual(['ежики', 'σφαλμα']);
    expect(readExpression(tokens, 'message', 'настройка NOT ёж*').query).toBe(readExpression(tokens, 'message', 'настроика NOT еж*').query);
  });
});
