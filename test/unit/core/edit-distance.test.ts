import { describe, expect, it } from 'vitest';
import { editDistance } from '../../../src/core/edit-distance.ts';

describe('the distance of two words', () => {
  it.each([
    ['deploy', 'deploy', 2, 0],
    ['deploy', 'depoly', 2, 1],
    ['deploy', 'deply', 2, 1],
    ['deploy', 'ddeploy', 2, 1],
    ['deploy', 'debloy', 2, 1],
    ['migration', 'migratoins', 2, 2],
    ['plan', 'zulu', 1, 2],
    ['a', 'abcdef', 2, 3],
  ])('%s and %s, at most %i: %i', (a, b, most, distance) => {
    expect(editDistance(a, b, most)).toBe(distance);
    expect(editDistance(b, a, most)).toBe(distance);
  });
});
