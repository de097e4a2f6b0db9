import { describe, expect, it } from 'vitest';
import { subjectOf } from '../../../../../src/surfaces/http/board/retry-job.ts';
import { shownJob } from '../../../../../src/surfaces/http/board/shown-job.ts';

const HASH = 'c0ffee'.padEnd(64, '0');
const shown = (data: unknown, id = 'm_job1') => shownJob({ id, fields: { name: 'build', data }, state: async () => 'waiting' }, 0);

describe('a maintenance task of an index on the board', () => {
  it('shows what is done to which index, and why', () => {
    expect(shown({ v: 1, key_hash: HASH, kind: 'reconcile', reason: 'asked by ops (http)' })).toMatchObject({
      name: 'reconcile',
      data: { task_kind: 'reconcile', key_hash: HASH, reason: 'asked by ops (http)', index: '/v1/index' },
    });
  });

  it.each([[{ kind: 'format', key_hash: HASH }], [{ kind: 'build', key_hash: 'x' }], [null], ['text'], [{ __proto__: { kind: 'build', key_hash: HASH } }]])(
    'shows only how it is at fault when it is none: %o',
    (data) => {
      expect(shown(data).data).toHaveProperty('not_a_task');
    },
  );

  it('shows how far it is, if that is said as the lane says it', () => {
    const at = (progress: unknown) =>
      shownJob({ id: 'm_job1', fields: { name: 'build', data: { v: 1, key_hash: HASH, kind: 'build', reason: '' }, progress }, state: async () => 'active' }, 0)
        .data['progress'];
    expect(at({ phase: 'TOKENIZE', done: 300, total: 1200 })).toBe('TOKENIZE, 300 of 1200 files');
    expect(at({ phase: 'ENUMERATE', done: 300, total: null })).toBe('ENUMERATE, 300 files');
    for (const other of [0, { phase: '<b>', done: 1, total: 2 }, { phase: 'PERSIST', done: 'all', total: 2 }]) expect(at(other)).toBeUndefined();
  });

  it('is no maintenance task under the id of a task', () => {
    expect(shown({ v: 1, key_hash: HASH, kind: 'build', reason: '' }, 't_a').data).toHaveProperty('not_a_task');
  });

  it('cannot be retried: it is asked for anew', async () => {
    await expect(subjectOf('m_job1', { job: async () => undefined })).rejects.toThrow('asked for anew');
  });
});
