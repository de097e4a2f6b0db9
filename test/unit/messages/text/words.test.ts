import { describe, expect, it } from 'vitest';
import { wordsOfText } from '../../../../src/messages/text/words.ts';

describe('the words of a text', () => {
  it('are those of at least four letters, without case and accents, those within names too', () => {
    expect([...wordsOfText('Déploy the createIndexes plan, now v2 abcd123')].toSorted()).toEqual([
      'abcd',
      'create',
      'createindexes',
      'deploy',
      'indexes',
      'plan',
    ]);
  });
});
