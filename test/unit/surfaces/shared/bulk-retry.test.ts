import { describe, expect, it } from 'vitest';
import { WritError } from '../../../../src/core/errors.ts';
import { type BulkRetryPage, bulkRetry, countFailed, type FailedFilter, failedBefore, type Retryable } from '../../../../src/surfaces/shared/bulk-retry.ts';

const NOW = Date.parse('2026-01-02T00:00:00.000Z');
const BEGUN = { state: 'failure', until: '2026-01-02T00:00:00.000Z' } as const;

/** Failures in a row, of which some are refused; a cursor is a place in the row. */
function row(length: number, refusals: Readonly<Record<string, Error>> = {}) {
  const ids = Array.from({ length }, (_, at) => `id-${at}`);
  const retried: string[][] = [];
  const limits: number[] = [];
  const of: Retryable<FailedFilter> = {
    noun: 'plan',
    async list(_filter, { cursor = '0', limit }) {
      limits.push(limit);
      const end = Number(cursor) + limit;
      return { ids: ids.slice(Number(cursor), end), ...(end < length ? { next: String(end) } : {}) };
    },
    async retry(some) {
      retried.push([...some]);
      return some.map((id) => refusals[id]);
    },
  };
  return { of, retried, limits, ids };
}

async function pagesOf(run: AsyncGenerator<BulkRetryPage>): Promise<readonly BulkRetryPage[]> {
  const pages: BulkRetryPage[] = [];
  for await (const page of run) pages.push(page);
  return pages;
}

const signal = new AbortController().signal;

describe('what a bulk retry is about', () => {
  it('is what had failed when it began, so that the same filter never finds what failed again', () => {
    expect(failedBefore({}, NOW, 'task')).toEqual(BEGUN);
    expect(failedBefore({ until: '2026-01-03T00:00:00+01:00' }, NOW, 'task')).toEqual(BEGUN);
    expect(failedBefore({ state: 'failure', until: '2026-01-01T00:00:00Z' }, NOW, 'task').until).toBe('2026-01-01T00:00:00.000Z');
  });

  it.each(['waiting', 'success'])('is nothing in the state %s', (state) => {
    expect(() => failedBefore({ state }, NOW, 'plan')).toThrow('only failed plans are retried');
  });

  it.each([
    [0, undefined, 0],
    [7, undefined, 7],
    [1203, undefined, 1203],
    [1203, 700, 700],
    [700, 700, 700],
  ])('is counted: of %d with limit %s it is %d, and nothing runs again', async (length, limit, found) => {
    const { of, retried } = row(length);
    expect(await countFailed(BEGUN, of, signal, limit)).toBe(found);
    expect(retried).toEqual([]);
  });
});

describe('a bulk retry', () => {
  it('goes page by page over everything, each once', async () => {
    const { of, retried, ids } = row(450);
    const pages = await pagesOf(bulkRetry(BEGUN, of, signal));
    expect(pages.map(({ ends, more }) => [ends.length, more])).toEqual([
      [200, true],
      [200, true],
      [50, false],
    ]);
    expect(retried.flat()).toEqual(ids);
  });

  it('takes no more than its limit, and says whether there may be more', async () => {
    const cut = row(450);
    expect((await pagesOf(bulkRetry(BEGUN, cut.of, signal, 250))).map(({ more }) => more)).toEqual([true, true]);
    expect([cut.retried.flat().length, cut.limits]).toEqual([250, [200, 50]]);
    expect((await pagesOf(bulkRetry(BEGUN, row(250).of, signal, 250))).at(-1)?.more).toBe(false);
  });

  it('tells why one is refused, and goes on', async () => {
    const gone = new WritError('NOT_FOUND', 'gone');
    const [page] = await pagesOf(bulkRetry(BEGUN, row(3, { 'id-1': gone }).of, signal));
    expect(page).toEqual({ ends: [{ id: 'id-0' }, { id: 'id-1', refused: gone }, { id: 'id-2' }], more: false });
  });

  it.each([new WritError('REDIS_UNAVAILABLE', 'away'), new Error('a fault of ours')])('ends behind the page that met what would meet all: %s', async (away) => {
    const { of, retried } = row(450, { 'id-1': away });
    const run = bulkRetry(BEGUN, of, signal);
    const { value } = await run.next();
    expect(value).toMatchObject({ more: true });
    expect((value as BulkRetryPage).ends.map(({ id }) => id)).not.toContain('id-1');
    await expect(run.next()).rejects.toBe(away);
    expect(retried).toHaveLength(1);
  });

  it('begins nothing once nobody waits for it', async () => {
    const { of, retried } = row(450);
    const leaving = new AbortController();
    const run = bulkRetry(BEGUN, of, leaving.signal);
    await run.next();
    leaving.abort();
    expect((await run.next()).done).toBe(true);
    expect(retried).toHaveLength(1);
    expect(await pagesOf(bulkRetry(BEGUN, of, leaving.signal))).toEqual([]);
  });
});
