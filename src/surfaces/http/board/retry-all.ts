import { type ErrorCode, isWritError, WritError } from '../../../core/errors.ts';
import type { AuditLog, OperatorAction } from '../../../core/ports/index.ts';
import { withTimeout } from '../../../core/with-timeout.ts';
import type { BoardServices } from './retry-job.ts';
import { retryPage, type Tally, total } from './retry-page.ts';
import { cut } from './shown-job.ts';
import type { BoardSource } from './source.ts';

const PAGE = 200;
/** How long the answer waits for a run that ends soon. */
const QUICK_MS = 1_500;
const MAX_ID = 128;

/** How far a retry-all has come. `finished: false`: it goes on, and the audit log tells how it ends. */
export interface RetryAllAnswer {
  readonly retried: number;
  /** Not retried; the audit log counts the reasons. Bull Board's own name for it. */
  readonly skipped: number;
  readonly finished: boolean;
}

/** `stopped`: the API ended; a code: it speaks of the installation, so that the rest would meet it as well. */
type End = 'complete' | 'stopped' | ErrorCode;

interface Run {
  readonly tally: Tally;
  work: Promise<unknown>;
}

/**
 * Retries everything that has failed in a queue, page by page, each task as if it were retried alone. One run per queue at
 * a time; the audit log has its beginning, every page, and its end.
 *
 * @param report told of a run that broke down after its answer was given
 */
export function createRetryAll({ audit, report }: { readonly audit: AuditLog; readonly report: (error: unknown) => void }) {
  const runs = new Map<string, Run>();
  const stopping = new AbortController();

  return {
    /**
     * @throws WritError WRONG_STATE when a run of this queue is under way, STORAGE_UNAVAILABLE when it cannot be audited,
     * and the code that ended it early
     */
    async start(source: BoardSource, who: string, services: BoardServices): Promise<RetryAllAnswer> {
      const current = runs.get(source.name);
      if (current) throw new WritError('WRONG_STATE', `The failed jobs of ${source.name} are being retried already: ${current.tally.retried} so far.`);
      const tally: Tally = { retried: 0, refused: new Map() };
      const entry = { surface: 'board', who, action: 'task.retry_all', subject: `queue ${source.name}` } as const;
      const work = carryOut(tally, source, services, entry).finally(() => runs.delete(source.name));
      runs.set(source.name, { tally, work });
      const end = await withTimeout(work, QUICK_MS);
      // From here on nobody waits for it any more.
      if (end === undefined) work.catch(report);
      if (end !== undefined && end !== 'complete' && end !== 'stopped')
        throw new WritError(end, `Stopped after ${tally.retried} retries: the rest would fail the same way.`);
      return { retried: tally.retried, skipped: total(tally), finished: end === 'complete' };
    },
    /** Ends runs after the page that is under way; what was not retried stays failed. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.allSettled([...runs.values()].map(({ work }) => work));
    },
  };

  async function carryOut(tally: Tally, source: BoardSource, services: BoardServices, entry: Omit<OperatorAction, 'outcome'>): Promise<End> {
    await audit.append({ ...entry, outcome: 'asked', detail: { failed: await source.failedCount() } });
    let end: End = 'INTERNAL';
    try {
      end = await allPages(tally, source, services, entry);
      return end;
    } catch (error) {
      end = isWritError(error) ? error.code : 'INTERNAL';
      throw error;
    } finally {
      const detail = { end, retried: tally.retried, refused: total(tally), ...Object.fromEntries(tally.refused) };
      await audit.append({ ...entry, outcome: end === 'complete' ? 'done' : 'refused', detail });
    }
  }

  async function allPages(tally: Tally, source: BoardSource, services: BoardServices, entry: Omit<OperatorAction, 'outcome'>): Promise<End> {
    let page = 0;
    for await (const ids of source.failedPages(PAGE)) {
      if (stopping.signal.aborted) return 'stopped';
      page += 1;
      const before = { retried: tally.retried, refused: total(tally) };
      const stopper = await retryPage(ids, source, tally, services);
      const done = { page, retried: tally.retried - before.retried, refused: total(tally) - before.refused };
      await audit.append({ ...entry, outcome: 'done', detail: { ...done, first: cut(ids[0], MAX_ID), last: cut(ids.at(-1), MAX_ID) } });
      if (stopper !== undefined) return stopper;
    }
    return 'complete';
  }
}
