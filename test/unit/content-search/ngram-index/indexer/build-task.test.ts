import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { build } from '../../../../../src/content-search/ngram-index/indexer/build-task.ts';
import { createRetries } from '../../../../../src/content-search/ngram-index/indexer/retries.ts';
import type { TaskContext } from '../../../../../src/content-search/ngram-index/indexer/task-context.ts';
import type { BuildOutcome } from '../../../../../src/core/ports/index.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
afterEach(() => void vi.useRealTimers());

/** What is submitted within a day after builds that all end so, and which triggers they were. */
async function afterwards(
  ends: BuildOutcome,
  retryOnFailure: boolean,
): Promise<{ readonly submitted: readonly string[]; readonly triggers: readonly string[] }> {
  const submitted: string[] = [];
  const triggers: string[] = [];
  const context = {
    deps: {
      now: Date.now,
      settings: { retryOnFailure, checkpointOnShutdown: true },
      storage: { mode: 'sqlite', fallback: null },
      pauses: { firstMs: 1_000, mostMs: 60_000, memoryMs: 600_000 },
      watch: { pending: async () => ({ seq: 0 }) },
      store: { read: () => ({ ok: true, value: null }), write: () => ({ ok: true, value: undefined }) },
      quota: { makeRoom: () => true },
      files: { sweep: () => undefined },
    },
    memory: { snapshot: null, resets: 0, meta: undefined },
    record: {
      apply: ({ kind }: { readonly kind: string }) => {
        triggers.push(kind);
        return { building: 1 };
      },
      publish: async () => undefined,
    },
    retries: createRetries(Date.now, { firstMs: 1_000, mostMs: 60_000 }),
    isAsked: true,
    run: async () => ends,
    ensureWatched: async () => true,
    passBegins: () => undefined,
    submit: (kind: string) => void submitted.push(kind),
  };
  await build(context as unknown as TaskContext);
  await vi.advanceTimersByTimeAsync(86_400_000);
  return { submitted, triggers };
}

describe('a build that fails', () => {
  it.each([
    ['the disk refuses', { outcome: 'failed', message: 'EIO' }, 'BUILD_FAILED_CLEAN'],
    ['what it goes on from is damaged', { outcome: 'corrupt', message: 'a segment is cut off' }, 'BUILD_FAILED_DIRTY'],
    ['a limit is reached', { outcome: 'over-budget', why: 'FILES', files: 1, bytes: 1 }, 'BUILD_BUDGET_EXCEEDED'],
  ] as const)('is not begun again by itself: %s', { tags: ['FR-LSI-BG-22.2'] }, async (_, ends, trigger) => {
    expect(await afterwards(ends, false)).toEqual({ submitted: [], triggers: ['BUILD_STARTED', trigger] });
  });

  it('is begun again after a pause where the settings say so, unless a limit ended it', { tags: ['FR-LSI-BG-22.2'] }, async () => {
    expect((await afterwards({ outcome: 'failed', message: 'EIO' }, true)).submitted).toEqual(['build']);
    expect((await afterwards({ outcome: 'corrupt', message: 'a segment is cut off' }, true)).submitted).toEqual(['build']);
    expect((await afterwards({ outcome: 'over-budget', why: 'FILES', files: 1, bytes: 1 }, true)).submitted).toEqual([]);
  });
});
