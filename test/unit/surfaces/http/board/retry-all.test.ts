import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../../src/core/clock.ts';
import { type ErrorCode, WritError } from '../../../../../src/core/errors.ts';
import type { OperatorAction } from '../../../../../src/core/ports/index.ts';
import { createRetryAll } from '../../../../../src/surfaces/http/board/retry-all.ts';
import type { BoardServices } from '../../../../../src/surfaces/http/board/retry-job.ts';
import type { BoardSource } from '../../../../../src/surfaces/http/board/source.ts';
import { allResults } from '../../../../support/results.ts';

const FAILURE = JSON.stringify({ status: 'FAILURE', output: null, error: { error_code: 'INVALID_LEASE', message: 'no' }, signature: 's' });
const unused = (): never => {
  throw new Error('a retry asks for this never');
};

/** Every task has failed; `refusing` says what a retry of one meets. */
function doors(refusing: (taskId: string) => ErrorCode | undefined = () => undefined): BoardServices {
  return {
    plans: { retry: async (id) => (id.startsWith('a') ? 'retried' : 'not-found'), view: async () => undefined, kept: async () => undefined, push: unused },
    planSignatures: unused,
    tasks: {
      enqueue: {
        push: unused,
        pushMany: unused,
        async retry(taskId) {
          const code = refusing(taskId);
          if (code !== undefined) throw new WritError(code, 'no');
          return { kind: 'retried' };
        },
        jobState: async (taskId) => ({ queue: 'file', jobId: `t_${taskId}`, state: 'failed', data: {}, failedReason: 'x', attemptsMade: 1, addedAt: 0 }),
      },
      ledger: { row: async () => undefined, refusal: async () => FAILURE, cancel: unused },
      results: allResults,
      signals: { onRecorded: unused },
      journal: undefined,
    },
    kernel: unused,
    signatures: async () => ({ peek: () => undefined, readLease: unused, revocationOf: unused, verifyResult: unused }),
    regrantByDefault: true,
    clock: systemClock,
  };
}

/** A queue whose pages come when they are let out. */
function source(pages: readonly (readonly string[])[], gate: () => Promise<void> = async () => {}) {
  const read = {
    name: 'file',
    queueName: 'file',
    job: async (id: string) => ({ id, fields: {}, state: async () => 'failed' }),
    jobs: unused,
    logs: unused,
    failedCount: async () => pages.flat().length,
  };
  async function* failedPages() {
    for (const page of pages) {
      await gate();
      yield page;
    }
  }
  return { ...read, failedPages, queue: undefined as never } satisfies BoardSource;
}

function world(broken?: (entry: OperatorAction) => boolean) {
  const audit: OperatorAction[] = [];
  const reported: unknown[] = [];
  const retryAll = createRetryAll({
    audit: {
      async append(entry) {
        if (broken?.(entry)) throw new WritError('STORAGE_UNAVAILABLE', 'the disk is full');
        audit.push(entry);
        return { ...entry, v: 1, n: audit.length, at: '', prev: '', hash: '' };
      },
    },
    report: (error) => reported.push(error),
  });
  return { audit, reported, retryAll };
}

function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('a retry of all failed jobs', () => {
  it('runs plans on beside tasks', async () => {
    const { retryAll } = world();
    const answer = await retryAll.start(source([[`p_${'a'.repeat(64)}`, `p_${'b'.repeat(64)}`, 't_a', 'p_x']]), 'olga', doors());
    expect(answer).toEqual({ retried: 2, skipped: 2, finished: true });
  });

  it('tells what was done when it ends soon', async () => {
    const { audit, retryAll } = world();
    const refusing = (id: string): ErrorCode | undefined => (id === 'b' ? 'WRONG_STATE' : id === 'c' ? 'LEASE_REFUSED' : undefined);
    expect(
      await retryAll.start(
        source([
          ['t_a', 't_b'],
          ['t_c', 'own'],
        ]),
        'olga',
        doors(refusing),
      ),
    ).toEqual({ retried: 1, skipped: 3, finished: true });
    expect(audit.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['asked', { failed: 4 }],
      ['done', { page: 1, retried: 1, refused: 1, first: 't_a', last: 't_b' }],
      ['done', { page: 2, retried: 0, refused: 2, first: 't_c', last: 'own' }],
      ['done', { end: 'complete', retried: 1, refused: 3, WRONG_STATE: 2, LEASE_REFUSED: 1 }],
    ]);
  });

  it('does not claim to have ended when it goes on, lets no second one in, and stops after its page', async () => {
    const { audit, retryAll } = world();
    const open = signal();
    let page = 0;
    const pages = source([['t_a'], ['t_b'], ['t_c']], async () => {
      page += 1;
      if (page === 2) await open.promise;
    });
    const answer = await retryAll.start(pages, 'olga', doors());
    expect(answer).toEqual({ retried: 1, skipped: 0, finished: false });
    await expect(retryAll.start(pages, 'otto', doors())).rejects.toMatchObject({ code: 'WRONG_STATE', message: expect.stringContaining('already: 1 so far') });
    const stopped = retryAll.stop();
    open.resolve();
    await stopped;
    expect(audit.at(-1)).toMatchObject({ who: 'olga', outcome: 'refused', detail: { end: 'stopped', retried: 1 } });
    expect(audit.filter(({ who }) => who === 'otto')).toEqual([]);
  });

  it.each(['KERNEL_UNAVAILABLE', 'REDIS_UNAVAILABLE', 'REDIS_FULL', 'STORAGE_UNAVAILABLE'] as const)(
    'stops at %s, which would meet the rest as well',
    async (code) => {
      const { audit, retryAll } = world();
      const many = Array.from({ length: 200 }, (_, i) => `t_${i}`);
      await expect(
        retryAll.start(
          source([many, many]),
          'olga',
          doors((id) => (Number(id) >= 5 ? code : undefined)),
        ),
      ).rejects.toMatchObject({ code });
      expect(audit.at(-1)).toMatchObject({ outcome: 'refused', detail: { end: code, retried: 5 } });
      expect(Number(audit.at(-1)?.detail?.['refused'])).toBeLessThanOrEqual(16);
    },
  );

  it('does nothing that it could not write down, and can be asked again', async () => {
    let full = true;
    const { audit, retryAll } = world(() => full);
    let asked = 0;
    const counting = doors(() => {
      asked += 1;
      return undefined;
    });
    await expect(retryAll.start(source([['t_a']]), 'olga', counting)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect([asked, audit]).toEqual([0, []]);
    full = false;
    expect(await retryAll.start(source([['t_a']]), 'olga', counting)).toMatchObject({ retried: 1 });
  });

  it('reports what breaks down after the answer', async () => {
    const { audit, reported, retryAll } = world();
    const open = signal();
    const broken = source([['t_a']], async () => {
      await open.promise;
      throw new Error('boom');
    });
    expect(await retryAll.start(broken, 'olga', doors())).toEqual({ retried: 0, skipped: 0, finished: false });
    open.resolve();
    await expect.poll(() => reported).toEqual([new Error('boom')]);
    expect(audit.at(-1)).toMatchObject({ outcome: 'refused', detail: { end: 'INTERNAL' } });
  });
});
