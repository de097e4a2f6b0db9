import { describe, expect, it } from 'vitest';
import { keptInJob } from '../../../queues/kept-plan.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { sha256Hex } from '../../../src/core/hash.ts';

const ENVELOPE = { header: { id: 'a' }, payload: { steps: [] } };
const ID = sha256Hex(canonicalJson(ENVELOPE));
const inJob = (data: unknown) => keptInJob(ID, { job: { data } } as Parameters<typeof keptInJob>[1]);

describe('what is kept of a plan in its job', () => {
  it('is the envelope of its hash, and the lease that lies beside it', () => {
    expect(inJob({ v: 1, envelope: ENVELOPE, lease: 'a.b.c' })).toEqual({ envelope: ENVELOPE, lease: 'a.b.c' });
    expect(inJob({ v: 1, envelope: { payload: { steps: [] }, header: { id: 'a' } }, lease: 'a.b.c' })?.lease).toBe('a.b.c');
    expect(inJob({ v: 1, envelope: ENVELOPE })).toEqual({ envelope: ENVELOPE, lease: '' });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'x'],
    ['the envelope of another plan', { v: 1, envelope: { ...ENVELOPE, header: { id: 'b' } }, lease: 'a.b.c' }],
    ['an envelope with one field more', { v: 1, envelope: { ...ENVELOPE, more: 1 }, lease: 'a.b.c' }],
    ['an envelope without a canonical form', { v: 1, envelope: { text: '\ud800' }, lease: 'a.b.c' }],
    ['a key of JavaScript', JSON.parse(`{"v":1,"envelope":${JSON.stringify(ENVELOPE).slice(0, -1)},"__proto__":{}},"lease":"a.b.c"}`)],
    ['a task', { v: 1, manifest: {}, lease: 'a.b.c' }],
    ['a lease that is none', { v: 1, envelope: ENVELOPE, lease: 7 }],
  ])('is nothing where %s lies there', (_what, data) => {
    expect(inJob(data)).toBeUndefined();
  });

  it('is nothing without a job', () => {
    expect(keptInJob(ID, undefined)).toBeUndefined();
  });
});
