import { expect, it } from 'vitest';
import { MAX_FIELD_CHARS } from '../../../queues/job-bounds.ts';
import { boundTraces } from '../../../queues/without-stack.ts';

it.each([
  ['short', 'TOOL_FAILED: no'],
  ['long', 'x'.repeat(2_000)],
  ['unprintable', '\u0000'.repeat(2_000)],
])('a job that has failed ten thousand times with %s reasons is one that is taken', (_kind, reason) => {
  let traces: string[] = [];
  let longest = 0;
  for (let n = 0; n < 10_000; n += 1) {
    traces = boundTraces(traces);
    traces.push(reason);
    longest = Math.max(longest, JSON.stringify(traces).length);
  }
  expect(longest).toBeLessThan(MAX_FIELD_CHARS);
});

it('of a job that fails now and then each failure is kept', () => {
  expect(boundTraces(['once', 'twice'])).toEqual(['once', 'twice']);
});

it('a number of failures comes back only when the wishes that it names are forgotten', () => {
  let traces: string[] = [];
  const counts: number[] = [];
  for (let n = 0; n < 500; n += 1) {
    counts.push(traces.length);
    traces = boundTraces(traces);
    traces.push('no');
  }
  for (const [at, count] of counts.entries()) expect(counts.slice(at + 1, at + 65)).not.toContain(count);
});
