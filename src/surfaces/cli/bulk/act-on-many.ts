import { ERRORS, type ErrorCode, isWritError, WritError } from '../../../core/errors.ts';
import { counted } from '../../../core/units.ts';
import type { CommandContext } from '../command.ts';
import { askYes } from './ask-yes.ts';
import { createCountBar } from './count-bar.ts';
import { readAhead } from './read-ahead.ts';

/** `undefined`: done. */
export type BulkEnd = Error | undefined;

/** What is done to everything that a filter finds, or to those that are named. */
export interface BulkAct {
  readonly noun: 'task' | 'plan';
  readonly verb: 'retry' | 'cancel';
  /** For the audit log: `task.retry_all`. */
  readonly action: string;
  /** The filter as JSON, or the number of names. */
  readonly subject: string;
  /** Whether a person named each of them. */
  readonly named: boolean;
  /** Ids, page by page; walked twice when they are to be counted first. */
  pages(): AsyncIterable<readonly string[]>;
  /** Acts on some together. An end for each, in order: undefined for done, else why it is refused; with exit code 3 the rest would fare no better. */
  act(ids: readonly string[]): Promise<readonly BulkEnd[]>;
  /** The command line that goes on where this one stopped. */
  readonly again: string;
}

export interface BulkFlags {
  readonly yes?: boolean;
}

interface Tally {
  done: number;
  readonly refused: Map<string, number>;
}

type End = 'complete' | 'interrupted' | ErrorCode;

/** Acts that are under way together, as in a page of `POST /v1/tasks/retry`. */
const TOGETHER = 200;
const DONE = { retry: 'retried', cancel: 'asked to cancel' } as const;

/**
 * Counts, asks, acts page by page, and says how to go on after an interruption: what is done stays done, and is not found
 * again. The audit log has the filter, every page and the end.
 *
 * @throws WritError INVALID_ARGUMENT without a yes; what ended it early
 */
export async function actOnMany(context: CommandContext, { yes }: BulkFlags, act: BulkAct): Promise<number> {
  const signal = context.interrupted();
  const total = await count(act, signal);
  if (total === 0) {
    await answer(context, act, { done: 0, refused: new Map() }, 0, 'complete');
    return 0;
  }
  if (yes !== true && !act.named) await assertMeant(context, act, total);
  const tally: Tally = { done: 0, refused: new Map() };
  const services = await context.services();
  const audit = await services.audit();
  const entry = { surface: 'cli', who: services.who, action: act.action, subject: act.subject } as const;
  await audit.append({ ...entry, outcome: 'asked', detail: { found: total } });
  const bar = createCountBar(context.io, total);
  let end: End = 'INTERNAL';
  try {
    let page = 0;
    end = 'complete';
    for await (const ids of readAhead(act.pages())) {
      if (signal.aborted) break;
      page += 1;
      const before = seen(tally);
      const stopper = await actOnPage(ids, act, tally, context, signal, () => bar.update(seen(tally)));
      await audit.append({ ...entry, outcome: 'done', detail: { page, tasks: seen(tally) - before } });
      if (stopper !== undefined) throw stopper;
    }
    if (signal.aborted) end = 'interrupted';
  } catch (error) {
    end = isWritError(error) ? error.code : 'INTERNAL';
    throw error;
  } finally {
    bar.stop();
    await audit.append({
      ...entry,
      outcome: end === 'complete' ? 'done' : 'refused',
      detail: { end, done: tally.done, refused: refusedOf(tally), ...Object.fromEntries(tally.refused) },
    });
    await answer(context, act, tally, total, end);
  }
  return end === 'complete' && tally.refused.size === 0 ? 0 : 1;
}

async function count({ pages }: BulkAct, signal: AbortSignal): Promise<number> {
  let total = 0;
  for await (const ids of pages()) {
    total += ids.length;
    if (signal.aborted) throw new WritError('TIMEOUT', 'interrupted while counting; nothing was done');
  }
  return total;
}

/** @throws WritError INVALID_ARGUMENT */
async function assertMeant({ io }: CommandContext, { verb, noun }: BulkAct, total: number): Promise<void> {
  const what = `${verb} ${counted(total, noun)}`;
  const meant = await askYes(io, `${what}? [y/N] `);
  if (meant === true) return;
  throw new WritError('INVALID_ARGUMENT', meant === false ? `nothing was done` : `this would ${what}: say --yes when that is meant`, { field: '--yes' });
}

/** @returns what speaks against going on */
async function actOnPage(
  ids: readonly string[],
  { act }: BulkAct,
  tally: Tally,
  { output }: CommandContext,
  signal: AbortSignal,
  told: () => void,
): Promise<Error | undefined> {
  for (let at = 0; at < ids.length; at += TOGETHER) {
    if (signal.aborted) return undefined;
    const some = ids.slice(at, at + TOGETHER);
    const stopper = await tell(some, await act(some), tally, output);
    told();
    if (stopper !== undefined) return stopper;
  }
  return undefined;
}

/** @returns the first end that is no single one's */
async function tell(ids: readonly string[], ends: readonly BulkEnd[], tally: Tally, output: CommandContext['output']): Promise<Error | undefined> {
  let stopper: Error | undefined;
  for (const [at, error] of ends.entries()) {
    const id = ids[at] ?? '';
    if (error === undefined) {
      tally.done += 1;
      await output.line({ id, outcome: 'done' });
    } else if (!isWritError(error) || ERRORS[error.code].exit === 3) stopper ??= error;
    else {
      tally.refused.set(error.code, (tally.refused.get(error.code) ?? 0) + 1);
      await output.line({ id, outcome: 'refused', code: error.code, message: error.message });
    }
  }
  return stopper;
}

/** An act on one, as one on many: all at once, each with its own end. */
export function each(one: (id: string) => Promise<unknown>): BulkAct['act'] {
  return (ids) =>
    Promise.all(
      ids.map((id) =>
        one(id).then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
        ),
      ),
    );
}

function refusedOf({ refused }: Tally): number {
  return [...refused.values()].reduce((sum, codes) => sum + codes, 0);
}

function seen(tally: Tally): number {
  return tally.done + refusedOf(tally);
}

async function answer({ output }: CommandContext, { noun, verb, again }: BulkAct, tally: Tally, total: number, end: End): Promise<void> {
  const refused = refusedOf(tally);
  const resume = end === 'complete' ? {} : { resume: again };
  const summary = { [`${noun}s`]: total, done: tally.done, refused, end, refused_by: Object.fromEntries(tally.refused), ...resume };
  await output.answer({ summary }, () => {
    if (total === 0) return `no ${noun} fits`;
    const codes = [...tally.refused].map(([code, times]) => `${code} ${times}`).join(', ');
    const done = `${counted(tally.done, noun)} ${DONE[verb]}${refused === 0 ? '' : `, ${refused} refused (${codes})`}`;
    return end === 'complete' ? done : `${done}; ${total - tally.done - refused} left. What is done stays done; this goes on:\n  ${again}`;
  });
}
