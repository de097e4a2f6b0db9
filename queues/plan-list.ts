import type { PlanFilter, PlanPage, PlanRecord } from '../src/contracts/index.ts';
import { WritError } from '../src/core/errors.ts';
import { wellFormed } from '../src/core/i-json.ts';
import type { KnownPlan, ListPage, PlanHistories, PlanView, PlanViews } from '../src/core/ports/index.ts';
import type { PlanJobs } from './plan-jobs.ts';

export interface PlanListDeps {
  readonly jobs: Pick<PlanJobs, 'open'>;
  readonly views: Pick<PlanViews, 'read'>;
  readonly histories: PlanHistories | undefined;
}

/** Plans of each place of the queue that are looked at: beyond them the oldest that wait are not listed. */
const MAX_OPEN = 1000;
/** Views that are read together. */
const TOGETHER = 50;
/** A place among the plans that wait; every other cursor is the journal's. */
const WAITING = /^w(\d{1,6})$/;

/**
 * A page of plans: those that wait for their turn, then those of the journal, newest change first. What is in the journal is
 * so; how far a plan that runs has come is a hint of its view.
 *
 * @throws WritError REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE; INVALID_ARGUMENT for a cursor that is none
 */
export async function listPlans(filter: PlanFilter, { cursor, limit }: ListPage, deps: PlanListDeps): Promise<PlanPage> {
  const { histories } = deps;
  const at = Number(WAITING.exec(cursor ?? 'w0')?.[1] ?? Number.NaN);
  const waiting = await waitingIds(deps);
  if (!Number.isNaN(at) && mayWait(filter)) {
    const ids = waiting.slice(at, at + limit);
    const plans = (await together(ids, (id) => deps.views.read(id).then((view) => waitingRecord(id, view)))).filter((plan) => isWithin(plan, filter));
    if (at + limit < waiting.length) return { plans, next: `w${at + limit}` };
    // Those that have begun come on the pages after this one.
    if (plans.length > 0) return histories === undefined || filter.state === 'waiting' ? { plans } : { plans, next: `w${waiting.length}` };
  }
  if (histories === undefined || filter.state === 'waiting') {
    if (cursor !== undefined && Number.isNaN(at)) throw new WritError('INVALID_ARGUMENT', 'is no cursor of a plan list', { field: 'cursor' });
    return { plans: [] };
  }
  const page = histories.list(filter, { limit, ...(cursor === undefined || !Number.isNaN(at) ? {} : { cursor }) });
  // A failed plan that was retried waits again: it stands among those that wait.
  const hidden = new Set(waiting);
  const shown = page.plans.filter(({ id }) => !hidden.has(id));
  const plans = await together(shown, (plan) => knownRecord(plan, deps.views));
  return { plans, ...(page.next === undefined ? {} : { next: page.next }) };
}

function mayWait({ state, error_code }: PlanFilter): boolean {
  return error_code === undefined && (state === undefined || state === 'waiting');
}

/** Plans with a job on its way that the journal does not call running. */
async function waitingIds({ jobs, histories }: PlanListDeps): Promise<readonly string[]> {
  const open = await jobs.open(MAX_OPEN);
  const known = histories?.states(open);
  return open.filter((id) => known?.get(id) !== 'running' && known?.get(id) !== 'success');
}

function waitingRecord(id: string, view: PlanView | undefined): PlanRecord {
  return {
    plan_id: id,
    state: 'waiting',
    ...(view?.notBefore === undefined ? {} : { not_before: new Date(view.notBefore).toISOString() }),
    steps_done: view?.stepsDone ?? 0,
    cancel_requested: view?.cancelRequested ?? false,
    updated_at: new Date(view?.updated ?? 0).toISOString(),
  };
}

function isWithin({ updated_at }: PlanRecord, { since, until }: PlanFilter): boolean {
  const at = Date.parse(updated_at);
  return (since === undefined || at >= Date.parse(since)) && (until === undefined || at < Date.parse(until));
}

async function knownRecord({ id, state, stepsDone, error, updated }: KnownPlan, views: PlanListDeps['views']): Promise<PlanRecord> {
  const record = { plan_id: id, state, steps_done: stepsDone, updated_at: new Date(updated).toISOString() };
  if (state !== 'running') return { ...record, cancel_requested: false, ...(error === undefined ? {} : { error }) };
  const view = await views.read(id);
  return { ...record, cancel_requested: view?.cancelRequested ?? false, ...(view?.current === undefined ? {} : { current: wellFormed(view.current.path) }) };
}

async function together<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < all.length; at += TOGETHER) done.push(...(await Promise.all(all.slice(at, at + TOGETHER).map(work))));
  return done;
}
