import { describe, expect, it } from 'vitest';
import { randomId } from '../../../../src/surfaces/client/random-id.ts';

describe('a random id of the client', () => {
  it('is a UUID of version 4, another one every time, and needs no secure context', () => {
    const ids = Array.from({ length: 500 }, randomId);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(500);
  });
});
