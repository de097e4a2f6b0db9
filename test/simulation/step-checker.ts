import { landingsOf, stoodAt } from './landings.ts';
import type { Parts } from './parts.ts';
import { planRecord } from './plan-record.ts';
import type { PlanTicket } from './plan-tickets.ts';

/** An answer that a plan has kept. */
export interface Kept {
  readonly path: string;
  readonly taskId: string;
  readonly executorResult: string;
  readonly voided: boolean;
  /** When it was kept, by the worker's clock; milliseconds since 1970. */
  readonly at: number;
}

export function keptOf({ host }: Pick<Parts, 'host'>, planSha256: string): readonly Kept[] {
  return host.stores.plan.look('entries', planSha256) as readonly Kept[];
}

export function hasSucceeded({ executorResult }: Kept): boolean {
  return (JSON.parse(executorResult) as { readonly status: string }).status === 'SUCCESS';
}

/** When the first SUCCESS of one of the tasks reached the ledger: until then its effect is its own to take back. */
export function succeededAt({ checker }: Pick<Parts, 'checker'>, kept: readonly Kept[]): number | undefined {
  const ends = kept.flatMap(({ taskId }) => checker.succeededAt(taskId) ?? []);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** The answers to each attempt of each generation of the step. */
export function attemptsOf(entries: readonly Kept[], at: number): readonly Kept[] {
  return entries.filter(({ path }) => Number.parseInt(path, 10) === at);
}

/** The step that each file of a plan belongs to. */
export function fileSteps({ plan }: PlanTicket): readonly number[] {
  return plan.steps.flatMap((kind, at) => (kind === 'copy' ? [at] : []));
}

/** A step that a plan took for done was done, whatever became of the plan; and a plan that succeeded with every step has had them all. */
export function checkSteps(parts: Parts, ticket: PlanTicket, name: string): void {
  const { checker, host } = parts;
  const { plan, planSha256 } = ticket;
  const entries = keptOf(parts, planSha256);
  for (const entry of entries.filter(({ voided }) => !voided)) {
    const at = Number.parseInt(entry.path, 10);
    const kind = plan.steps[at];
    if (kind === 'copy' || kind === 'approval') continue;
    // A repeatable call keeps the key of its first attempt.
    const first = entries.find(({ path, voided }) => path === String(at) && !voided);
    const requests = host.tools.requests.get((kind === 'once' ? entry.taskId : first?.taskId) ?? '') ?? 0;
    // An attempt that failed may have ended before its request was sent.
    if (requests === 0 && hasSucceeded(entry)) checker.violate('effect if and only if SUCCESS', `step ${at} of ${name} was never requested`);
    if (kind === 'once' && requests > 1) checker.violate('at most one effect', `step ${at} of ${name} was requested ${requests} times`);
  }
  for (const at of plan.steps.keys()) checkOnce(parts, ticket, at, name);
  checkFiles(parts, ticket, name);
  const { end } = planRecord(host.stores, planSha256) ?? {};
  if (end?.status !== 'SUCCESS' || plan.goesOn) return;
  for (const at of plan.steps.keys()) {
    if (!attemptsOf(entries, at).some((entry) => !entry.voided && hasSucceeded(entry)))
      checker.violate('effect if and only if SUCCESS', `${name} succeeded without step ${at}`);
  }
}

/** A `once` step has its effect once in all its attempts, unless somebody has asked for another one. */
function checkOnce(parts: Parts, { plan, planSha256 }: PlanTicket, at: number, name: string): void {
  const attempts = attemptsOf(keptOf(parts, planSha256), at);
  if (plan.steps[at] !== 'once' || attempts.some(({ voided }) => voided)) return;
  const effects = attempts.reduce((sum, { taskId }) => sum + (parts.host.tools.effects.get(taskId) ?? 0), 0);
  if (effects > 1) parts.checker.violate('at most one effect', `step ${at} of ${name} had its effect ${effects} times, in ${attempts.length} attempts`);
}

/** The file of a SUCCESS is where it was to go when that is told, and stays there unless the plan is taken back. */
function checkFiles(parts: Parts, ticket: PlanTicket, name: string): void {
  const { checker, disk, undos } = parts;
  const entries = keptOf(parts, ticket.planSha256);
  const steps = fileSteps(ticket);
  for (const [file, { destination, content }] of ticket.files.entries()) {
    const told = succeededAt(parts, attemptsOf(entries, steps[file] ?? -1));
    if (told === undefined) continue;
    const there = landingsOf(disk, destination, content).filter((landing) => stoodAt(landing, told));
    if (there.length === 0) checker.violate('effect if and only if SUCCESS', `${destination} of ${name} was never there`);
    else if (!undos.has(ticket.planSha256) && there.every(({ goneAt }) => goneAt !== undefined))
      checker.violate('effect if and only if SUCCESS', `${destination} of ${name} was taken away again, and nobody asked`);
  }
}
