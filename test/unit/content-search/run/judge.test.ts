import { describe, expect, it } from 'vitest';
import { classifyExit, type ExitFacts } from '../../../../src/content-search/run/judge.ts';

describe('the end of a process', () => {
  const end = { code: 0, signal: null, stderr: '' };
  const facts: ExitFacts = { stoppedFor: undefined, end, matches: 0, violation: undefined, isExplained: false };

  it.each([
    ['ok_with_matches', { matches: 1 }],
    ['ok_no_matches', { end: { ...end, code: 1 } }],
    ['ok_with_matches', { end: { ...end, code: 1 }, matches: 1 }],
    ['ok_with_matches', { end: { ...end, code: 2 }, matches: 1, isExplained: true }],
    ['ok_no_matches', { end: { ...end, code: 2 }, isExplained: true }],
    ['backend_error', { end: { ...end, code: 2 }, matches: 1 }],
    ['backend_error', { end: { ...end, code: 3 }, isExplained: true }],
    ['backend_error', { end: { ...end, code: null, signal: 'SIGSEGV' as const } }],
    ['backend_error', { end: { ...end, code: null, startError: 'ENOENT' } }],
    ['backend_error', { violation: 'x', matches: 1 }],
    ['timed_out', { stoppedFor: 'time' as const, end: { ...end, code: null, signal: 'SIGKILL' as const }, matches: 1 }],
    ['truncated', { stoppedFor: 'limit' as const, end: { ...end, code: null, signal: 'SIGKILL' as const }, matches: 1 }],
  ])('is %s %#', { tags: ['FR-LSI-EXIT-01', 'FR-LSI-EXIT-02', 'FR-LSI-BE-EXIT-01.1', 'FR-LSI-BE-EXIT-01.2'] }, (expected, more) => {
    expect(classifyExit({ ...facts, ...more })).toBe(expected);
  });
});
