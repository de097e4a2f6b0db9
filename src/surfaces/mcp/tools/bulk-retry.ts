import { z } from 'zod';
import { isWritError } from '../../../core/errors.ts';
import { bulkRetry, countFailed, type FailedFilter, failedBefore, type Retryable } from '../../shared/bulk-retry.ts';
import type { ToolCall } from '../tool.ts';

/** Refusals that are told one by one; the rest is counted. */
const TOLD = 20;
/** What one call is about unless it says otherwise, and at most: a caller waits for the whole answer. */
const USUAL = 1000;
const MAX_FOUND = 10_000;

/** Arguments of a tool that runs again what a filter finds. */
export const bulkArguments = {
  dry_run: z.boolean().optional().meta({ description: 'true: only counts what the filter finds. Ask so first.' }),
  limit: z
    .int()
    .min(1)
    .max(MAX_FOUND)
    .optional()
    .meta({ description: `At most so many; ${USUAL} if absent.` }),
};

/** What such a tool answers beside how many it found. */
export const bulkAnswer = {
  retried: z.int(),
  refused: z.int(),
  refused_by: z.record(z.string(), z.int()).meta({ description: 'Refusals by their code.' }),
  stopped_by: z
    .strictObject({ code: z.string(), message: z.string() })
    .optional()
    .meta({ description: 'What would meet the rest as well; what is done stays done.' }),
};
/** Words of its further parts. */
export const FOUND = 'Found, or dealt with.';
export const FIRST = `The first ${TOLD}.`;
export const REST = 'Unless nothing is left: the filter that goes on. After dry_run: finds exactly what was counted.';

interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** What became of a call. */
export interface BulkTold<F> {
  found: number;
  retried: number;
  refused: number;
  readonly refused_by: Record<string, number>;
  readonly refusals: (Refusal & { readonly id: string })[];
  stopped_by?: Refusal;
  rest?: F;
}

interface BulkInput<F> {
  readonly filter: F;
  readonly dry_run?: boolean | undefined;
  readonly limit?: number | undefined;
}

/**
 * Counts what has failed and a filter finds, or runs it again page by page; each page is in the audit log.
 *
 * @throws WritError INVALID_ARGUMENT for a filter on another state, STORAGE_UNAVAILABLE, and what the first page meets
 */
export async function retryFound<F extends FailedFilter>({ input, services, caller, signal }: ToolCall<BulkInput<F>>, of: Retryable<F>): Promise<BulkTold<F>> {
  const { filter: asked, dry_run, limit } = input;
  const filter: F = failedBefore(asked, services.clock.now(), of.noun);
  const told: BulkTold<F> = { found: 0, retried: 0, refused: 0, refused_by: {}, refusals: [] };
  if (dry_run === true) return { ...told, found: await countFailed(filter, of, signal, limit), rest: filter };
  const audit = await services.audit();
  const entry = { surface: 'mcp', who: caller.name, action: `${of.noun}.retry_all`, subject: JSON.stringify(asked) } as const;
  const noun = `${of.noun}s`;
  await audit.append({ ...entry, outcome: 'asked' });
  let [more, end, page] = [true, 'caller gone', 0];
  try {
    for await (const found of bulkRetry(filter, of, signal, limit ?? USUAL)) {
      ({ more } = found);
      if (found.ends.length === 0) continue;
      page += 1;
      for (const { id, refused } of found.ends) count(told, id, refused);
      await audit.append({ ...entry, outcome: 'done', detail: { page, [noun]: found.ends.length } });
    }
    if (!signal.aborted) end = more ? 'limit' : 'complete';
  } catch (error) {
    end = isWritError(error) ? error.code : 'INTERNAL';
    if (page === 0 || !isWritError(error)) throw error;
    told.stopped_by = { code: error.code, message: error.message };
  } finally {
    const { found, retried, refused } = told;
    const outcome = end === 'complete' || end === 'limit' ? 'done' : 'refused';
    await audit.append({ ...entry, outcome, detail: { end, [noun]: found, retried, refused } });
  }
  return more ? { ...told, rest: filter } : told;
}

function count<F>(told: BulkTold<F>, id: string, refused: Refusal | undefined): void {
  told.found += 1;
  if (refused === undefined) {
    told.retried += 1;
    return;
  }
  const { code, message } = refused;
  told.refused += 1;
  told.refused_by[code] = (told.refused_by[code] ?? 0) + 1;
  if (told.refusals.length < TOLD) told.refusals.push({ id, code, message });
}
