import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FILE_CAPABILITIES, FILE_ERROR_CODES } from '../../../../src/contracts/index.ts';
import { CRASH_POINTS } from '../../../../src/executors/file/index.ts';

const page = (name: string): string => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');

describe('the implementable specification', () => {
  it('exists, and names every capability, code and crash point of the code', { tags: ['FE-54'] }, () => {
    const [executor, protocol] = [page('file-executor.md'), page('protocol.md')];
    for (const word of [...FILE_CAPABILITIES, ...FILE_ERROR_CODES]) expect(executor).toContain(word);
    const steps = CRASH_POINTS.filter((point) => !['taken-back', 'withdrawn', 'before-close'].includes(point));
    for (const point of steps) expect(protocol).toMatch(new RegExp(`\\b${point}\\b`));
    for (const words of ['in the taking back', 'after the withdrawal', 'effect, before close']) expect(protocol).toContain(words);
  });
});
