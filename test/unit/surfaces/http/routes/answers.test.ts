import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { waitOf } from '../../../../../src/surfaces/http/routes/answers.ts';

const asked = (prefer?: string) => waitOf({ headers: prefer === undefined ? {} : { prefer } } as FastifyRequest, 60);

describe('Prefer: wait', () => {
  it.each([
    ['wait=5', 5],
    ['wait=0', 0],
    ['WAIT = "7"', 7],
    ['respond-async, wait=10', 10],
    ['return=minimal;foo=bar, wait=3; x=y', 3],
    ['wait=1, wait=2', 1],
    ['wait=999999', 60],
  ])('reads %s', (prefer, seconds) => {
    expect(asked(prefer)).toEqual({ timeoutMs: seconds * 1000, headers: { 'preference-applied': `wait=${seconds}` } });
  });

  it.each([undefined, '', 'wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=soon', 'nowait=3', 'wait=12345678901'])('ignores %s', (prefer) => {
    expect(asked(prefer)).toBeUndefined();
  });
});
