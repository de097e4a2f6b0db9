import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { answerOf } from '../../../../src/adapters/http-tool/answer.ts';
import { scrubber } from '../../../../src/adapters/http-tool/scrub.ts';
import { retryAfterMs } from '../../../../src/core/outcome.ts';

async function askedBy(statusCode: number, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = Object.assign(Readable.from([]), { statusCode, headers }) as unknown as IncomingMessage;
  const answer = await answerOf(response, { maxBytes: 1000, dataPath: [], scrub: scrubber([]) });
  expect(answer.kind).toBe('failed');
  return retryAfterMs('message' in answer ? answer.message : '');
}

it('an answer that says when to come again says so in its sentence, in seconds or by its own clock, an hour at most', async () => {
  const date = 'Mon, 23 Nov 2026 04:00:00 GMT';
  expect(await askedBy(503, { 'retry-after': '12' })).toBe(12_000);
  expect(await askedBy(429, { 'retry-after': 'Mon, 23 Nov 2026 04:01:30 GMT', date })).toBe(90_000);
  expect(await askedBy(429, { 'retry-after': 'Mon, 23 Nov 2026 03:00:00 GMT', date })).toBe(0);
  expect(await askedBy(503, { 'retry-after': '999999999' })).toBe(3_600_000);
});

it('any other answer, and one that cannot be read, asks for nothing', async () => {
  expect(await askedBy(500, { 'retry-after': '12' })).toBe(0);
  expect(await askedBy(503, {})).toBe(0);
  expect(await askedBy(503, { 'retry-after': 'soon' })).toBe(0);
  expect(await askedBy(503, { 'retry-after': 'Mon, 23 Nov 2026 04:01:30 GMT' })).toBe(0);
});
