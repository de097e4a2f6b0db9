import { describe, expect, it } from 'vitest';
import type { WordFinding } from '../../../../src/core/ports/message-engine.ts';
import { plainUnits, retrySteps, wordsAsked } from '../../../../src/messages/search/retry.ts';

const finding = (word: string, more: Partial<WordFinding> = {}): WordFinding => ({ word, has: false, begins: false, apart: null, alike: [], ...more });

function stepsOf(text: string, ...findings: readonly WordFinding[]) {
  return retrySteps({ text }, plainUnits(text) ?? [], findings).map(({ by, match, text: told }) => [by, match.by === 'words' ? match.expression : told]);
}

describe('a search that found nothing', () => {
  it('is not tried again where somebody wrote a syntax', () => {
    for (const text of ['"two words"', 'plan*', 'plan AND build', 'NOT plan', 'subject:plan', 'from:ada plan', '***', '?']) {
      expect(plainUnits(text), text).toBeUndefined();
    }
  });

  it('is told about the words, not about names', () => {
    expect(wordsAsked(plainUnits('why does src/a.ts fail, POL-358?') ?? [])).toEqual(['why', 'does', 'fail']);
  });

  it('looks for other spellings first, then for any word, then for parts of words', () => {
    const steps = stepsOf('the depoly plan', finding('the', { has: true }), finding('depoly', { alike: ['deploy', 'depot'] }), finding('plan', { has: true }));
    expect(steps).toEqual([
      ['spelling', 'the AND ("deploy" OR "depot") AND plan'],
      ['any_word', '("deploy" OR "depot") OR plan'],
      ['substrings', 'the depoly plan'],
    ]);
  });

  it('takes longer words, and a name apart', () => {
    expect(stepsOf('migr', finding('migr', { begins: true }))[0]).toEqual(['spelling', 'migr*']);
    expect(stepsOf('createIt', finding('createIt', { apart: 'create It' }))[0]).toEqual(['spelling', '"create It"']);
  });

  it('leaves out what nothing is like, and words of questions', () => {
    expect(
      stepsOf('why does xyzzy fail', finding('xyzzy'), finding('why', { has: true }), finding('does', { has: true }), finding('fail', { has: true })),
    ).toEqual([
      ['any_word', 'fail'],
      ['substrings', 'why does xyzzy fail'],
    ]);
    expect(stepsOf('xyzzy', finding('xyzzy'))).toEqual([['substrings', 'xyzzy']]);
  });

  it('asks for one word that had signs as a word, and for several without theirs before it asks for any', () => {
    expect(stepsOf('-stryker', finding('stryker', { has: true }))).toEqual([
      ['any_word', 'stryker'],
      ['substrings', 'stryker'],
    ]);
    expect(stepsOf('Redis Cluster/', finding('Redis', { has: true }), finding('Cluster', { has: true }))).toEqual([
      ['substrings', 'Redis Cluster'],
      ['any_word', 'Redis OR Cluster'],
    ]);
  });
});
