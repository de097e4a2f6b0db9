import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, shownJob } from '../../../../../src/surfaces/http/board/shown-job.ts';

const NOW = Date.parse('2026-11-21T05:00:00Z');
const job = (fields: Record<string, unknown>, unreadable?: string) => ({
  id: 't_x',
  fields,
  ...(unreadable === undefined ? {} : { unreadable }),
  state: async () => 'failed',
});
const shown = (fields: Record<string, unknown>, unreadable?: string) => shownJob(job(fields, unreadable), NOW);

const payload = {
  v: 1,
  iss: 'writ-kernel',
  aud: 'file',
  jti: 'j',
  task_id: 'x',
  capability_id: 'FILE_MOVE',
  manifest_sha256: 'a'.repeat(64),
  iat: NOW / 1000 - 60,
};
const leaseUntil = (exp: number) => ['e30', Buffer.from(JSON.stringify({ ...payload, exp })).toString('base64url'), 'c2lnbmF0dXJl'].join('.');
const manifest = { task_id: 'x', capability_id: 'FILE_MOVE', inputs: { source_path: 'main/a', destination_path: 'main/b' }, constraints: {} };

describe('a job on the board', () => {
  it('is named by its capability and tells the task, the paths and how long its lease is good', () => {
    const lease = leaseUntil(NOW / 1000 + 23 * 3600 + 5);
    expect(shown({ name: 'anything', data: { v: 1, manifest, lease }, attemptsMade: 2, timestamp: NOW, failedReason: 'LEASE_EXPIRED: late' })).toMatchObject({
      name: 'FILE_MOVE',
      data: {
        task_id: 'x',
        capability: 'FILE_MOVE',
        source_path: 'main/a',
        destination_path: 'main/b',
        lease_expires: '2026-11-22T04:00:05Z (in 23 h)',
        task: '/v1/tasks/x',
      },
      attemptsMade: 2,
      failedReason: 'LEASE_EXPIRED: late',
      stacktrace: ['LEASE_EXPIRED: late'],
    });
  });

  it.each([
    [leaseUntil(NOW / 1000 - 300), '2026-11-21T04:55:00Z (expired 5 min ago)'],
    [leaseUntil(NOW / 1000 + 3), '2026-11-21T05:00:03Z (in 3 s)'],
    [undefined, 'there is no lease'],
    ['a.b.c', 'this is no lease'],
  ])('says of the lease %s: %s', (lease, words) => {
    expect(shown({ data: { v: 1, manifest, ...(lease === undefined ? {} : { lease }) } }).data['lease_expires']).toBe(words);
  });

  it('never shows a lease or the inputs of a search, in whatever job they lie', () => {
    const lease = leaseUntil(NOW / 1000 + 60);
    const secrets = [lease, 'what was asked'];
    const search = { ...manifest, capability_id: 'SEARCH_FILES', inputs: { query: 'what was asked' } };
    for (const data of [
      { v: 1, manifest, lease },
      { v: 1, manifest: search, lease },
      { v: 1, manifest: search, lease, more: lease },
      lease,
      [lease],
      { lease: { lease } },
    ]) {
      const text = JSON.stringify(shown({ data, returnvalue: { status: 'SUCCESS', output: 'what was asked', lease }, opts: { parent: lease, attempts: 3 } }));
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
  });

  it('shows which scope a search looks into, and of other capabilities no inputs', () => {
    const inputs = { query: 'what was asked', target_scope: 'in\u001bbox', max_results: 3, source_path: '/asked' };
    const search = shown({ data: { v: 1, manifest: { ...manifest, capability_id: 'SEARCH_EMAILS', inputs } } });
    expect(search.data).toMatchObject({ target_scope: 'in\u{fffd}box' });
    expect(Object.keys(search.data)).not.toEqual(expect.arrayContaining([expect.stringMatching(/query|max_results|source_path/)]));
    expect(shown({ data: { v: 1, manifest: { ...manifest, capability_id: 'ELSE', inputs } } }).data).not.toHaveProperty('target_scope');
  });

  it('shows of a return value only status and digest', () => {
    expect(shown({ returnvalue: { status: 'SUCCESS', result_sha256: 'f'.repeat(64), output: {} } }).returnvalue).toEqual({
      status: 'SUCCESS',
      result_sha256: 'f'.repeat(64),
    });
  });

  it('is always a small plain row, whatever is stored', () => {
    const anything = fc.dictionary(
      fc.constantFrom('name', 'data', 'opts', 'returnvalue', 'failedReason', 'stacktrace', 'timestamp', 'attemptsMade', 'delay'),
      fc.anything(),
    );
    fc.assert(
      fc.property(anything, fc.option(fc.string(), { nil: undefined }), (fields, unreadable) => {
        const row = shown(fields, unreadable);
        expect(JSON.stringify(row).length).toBeLessThan(8_000);
        expect([typeof row.name, typeof row.failedReason, Number.isFinite(row.timestamp)]).toEqual(['string', 'string', true]);
      }),
    );
  });
});

describe('a text that is cut', () => {
  it('stays on its line, in its direction, and well formed', () => {
    expect(cut('a\nb\u202ec\u0000<b>', 50)).toBe('a\ufffdb\ufffdc\ufffd<b>');
    expect(cut('x'.repeat(100), 5)).toBe('xxxxx…');
    expect(cut('ab😀', 3)).toBe('ab\ufffd…');
    expect(cut({ a: 1 }, 5)).toBe('');
  });
});
