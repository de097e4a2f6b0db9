import { canonicalJson } from '../../src/core/canonical-json.ts';
import { sha256Hex } from '../../src/core/hash.ts';
import type { PlanEnd } from '../../src/core/ports/index.ts';
import { fixedKeyring, verifyPlanEnd } from '../../src/lease/index.ts';
import type { Parts } from './parts.ts';
import { planRecord } from './plan-record.ts';
import type { PlanTicket } from './plan-tickets.ts';
import { areStepsSlow, cancelAfter, retriesOf } from './plan-weather.ts';
import { EPOCH_MS } from './scheduler.ts';
import { attemptsOf, checkSteps, hasSucceeded, keptOf } from './step-checker.ts';
import { EXECUTOR_KEY } from './tasks.ts';
import { cheapEd25519 } from './twins/crypto.ts';
import { checkUndo } from './undo-checker.ts';

/** A plan goes on within this time after the last trouble, and each of its steps takes no longer; milliseconds. */
const GOES_ON_MS = 4_500;
const STEP_MS = 800;
/** Troubles that are over when they are over. */
const SHORT = new Set(['kernel-outage', 'kernel-restart', 'error']);

/** Retries of a step that are looked for. */
const GENERATIONS = 4;

/** Where nothing goes wrong, a plan takes the answer to its step within this time, milliseconds: a second, when the delivery that parks is not over yet. */
const TAKEN_MS = 1_500;

/** Nobody works on a step before the answer that it follows from is on disk; and the answer is taken when it is there. */
export function watchSteps(parts: Parts): void {
  const { plans, redis, host, checker } = parts;
  watchAnswers(parts);
  const steps = new Map(plans.flatMap((ticket) => [...stepIds(ticket)]));
  watchRetries(parts);
  watchSecondAnswers(parts);
  const { claim } = redis.ledger;
  const look: typeof claim = async (request) => {
    const step = steps.get(request.taskId);
    if (step !== undefined && step.at > 0) {
      const entries = host.stores.plan.look('entries', step.planSha256) as readonly { readonly path: string; readonly voided: boolean }[];
      const before = String(step.at - 1);
      if (!entries.some(({ path, voided }) => path === before && !voided))
        checker.violate('nothing follows from what is not on disk', `step ${step.at} was claimed, and the answer to step ${before} is in no journal`);
    }
    return claim(request);
  };
  Object.assign(redis.ledger, { claim: look });
}

/** The task ids that the steps of a plan may have. */
export function stepIds({ plan, planSha256 }: PlanTicket): ReadonlyMap<string, { readonly planSha256: string; readonly at: number }> {
  const steps = new Map<string, { readonly planSha256: string; readonly at: number }>();
  for (const at of plan.steps.keys()) {
    for (let generation = 0; generation < GENERATIONS; generation += 1) steps.set(taskIdOf(planSha256, String(at), generation), { planSha256, at });
  }
  return steps;
}

function taskIdOf(planSha256: string, path: string, generation: number): string {
  return `s-${sha256Hex(canonicalJson([planSha256, path, generation]))}`;
}

/** A declared retry follows a failure that is on disk and whose outcome is known, and waits for its time. */
function watchRetries({ plans, redis, host, checker, world }: Parts): void {
  const retry = retriesOf(world.scenario);
  if (retry === undefined) return;
  const attempts = new Map<string, { readonly planSha256: string; readonly before: string; readonly waitMs: number }>();
  for (const { plan, planSha256 } of plans) {
    for (const at of plan.steps.keys()) {
      for (let attempt = 2; attempt <= retry.max + 1; attempt += 1) {
        const before = attempt === 2 ? String(at) : `${at}~${attempt - 1}`;
        // An operator's retry of this very attempt does not wait again.
        attempts.set(taskIdOf(planSha256, `${at}~${attempt}`, 0), { planSha256, before, waitMs: retry.backoff_ms * 2 ** (attempt - 2) });
      }
    }
  }
  const { claim } = redis.ledger;
  const look: typeof claim = async (request) => {
    const retried = attempts.get(request.taskId);
    if (retried !== undefined) {
      const { planSha256, before, waitMs } = retried;
      const kept = keptOf({ host }, planSha256).find(({ path, voided }) => path === before && !voided);
      if (kept === undefined) checker.violate('nothing follows from what is not on disk', `${request.taskId} was tried again before its failure was kept`);
      const wasSent = (host.tools.requests.get(kept?.taskId ?? '') ?? 0) > 0;
      if (wasSent && /TOOL_OUTCOME_UNKNOWN|RESOURCE_EXHAUSTED/.test(kept?.executorResult ?? ''))
        checker.violate('at most one effect', `${request.taskId} was tried again, and nobody can tell how the attempt before ended`);
      // A Redis that came back as it was before has the attempt answered once more: the plan goes by what it has kept.
      const wasKept = (at: number): boolean => redis.losses === 0 || EPOCH_MS + Math.floor(at) <= (kept?.at ?? 0);
      const recordedAt = checker.recorded(kept?.taskId ?? '').findLast(({ at }) => wasKept(at))?.at;
      const isEarly = recordedAt !== undefined && world.now - recordedAt < waitMs;
      if (isEarly && !world.struck.has('clock'))
        checker.violate('retries wait', `${request.taskId} was tried again ${Math.round(world.now - recordedAt)} ms after it failed`);
    }
    return claim(request);
  };
  Object.assign(redis.ledger, { claim: look });
}

/**
 * What the plan has seen of a step, and goes on from, stays so. A request without an intent may have been under way since before its
 * step failed elsewhere: its answer is refused then. After a loss of Redis a step without an effect may be asked again.
 */
function watchSecondAnswers({ plans, redis, host, checker, world }: Parts): void {
  if (plans.length === 0) return;
  const sentAt = new Map<string, number>();
  host.tools.onRequest = (process, taskId) => void sentAt.set(`${process.name} ${taskId}`, world.now);
  const { record } = redis.ledger;
  const look: typeof record = async (request) => {
    const { taskId, status } = request;
    const entries = plans.map(({ planSha256 }) => keptOf({ host }, planSha256)).find((of) => of.some((entry) => entry.taskId === taskId)) ?? [];
    const kept = entries.find((entry) => entry.taskId === taskId);
    const isSecond = kept !== undefined && status === 'SUCCESS' && redis.losses === 0 && !hasSucceeded(kept);
    const failedAt = checker.recorded(taskId).at(-1)?.at ?? 0;
    const by = world.caller?.name;
    const sent = attemptsOf(entries, Number.parseInt(kept?.path ?? '', 10)).flatMap((attempt) => sentAt.get(`${by} ${attempt.taskId}`) ?? []);
    const wasUnderWay = sent.length > 0 && Math.max(...sent) < failedAt;
    const answered = record(request);
    void answered.then((answer) => {
      if (isSecond && !(answer === 'stale' && wasUnderWay))
        checker.violate('a step has one answer', `${taskId} had failed for its plan, and then had its effect`);
    });
    return answered;
  };
  Object.assign(redis.ledger, { record: look });
}

function watchAnswers({ host, checker, world }: Parts): void {
  const { plan } = host.stores;
  const ask = plan.ask.bind(plan);
  Object.assign(plan, {
    async ask(...args: Parameters<typeof ask>) {
      const answer = await ask(...args);
      const [, method, [, entry]] = args;
      const taskId = String(Reflect.get(Object(entry), 'taskId'));
      const recordedAt = method === 'append' ? checker.recorded(taskId).at(-1)?.at : undefined;
      const waited = recordedAt === undefined ? 0 : world.now - recordedAt;
      if (world.struck.size === 0 && waited > TAKEN_MS)
        checker.violate('nobody starves', `the answer of ${taskId} was taken ${Math.round(waited)} ms after it was there`);
      return answer;
    },
  });
}

/** What a history must show of one plan. */
export async function checkPlan(parts: Parts, ticket: PlanTicket): Promise<void> {
  const { checker, host, world } = parts;
  const { planSha256, index } = ticket;
  const name = `plan-${index}`;
  checkUndo(parts, ticket);
  const record = planRecord(host.stores, planSha256);
  if (record?.end === undefined) return checker.violate('everything ends', `${name} has no end in its journal`);
  const { end } = record;
  const verified = await verifyPlanEnd(end.result, planSha256, { keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 });
  if (!verified.ok) checker.violate('results verify', `the end of ${name}: ${verified.message}`);
  const told = `${name} says ${end.code}: ${end.message}`;
  if (end.code === 'INVALID_RESULT' || end.code === 'REPLAY_MISMATCH') checker.violate('failures are true', told);
  const lost = /the worker was lost (\d+) times/.exec(end.message)?.[1];
  if (lost !== undefined && Number(lost) > host.processes.filter(({ alive }) => !alive).length + (world.struck.get('pause') ?? 0))
    checker.violate('failures are true', told);
  checkSteps(parts, ticket, name);
  if (world.struck.size === 0) checkCalm(parts, ticket, name);
  checkPace(parts, ticket, name);
  checkShown(parts, planSha256, end.status, name);
}

/** Where nothing goes wrong, nobody asks twice: a step has one worker, however long it takes. */
function checkCalm({ checker, host }: Parts, { planSha256 }: PlanTicket, name: string): void {
  const entries = host.stores.plan.look('entries', planSha256) as readonly { readonly taskId: string; readonly path: string }[];
  for (const { taskId, path } of entries) {
    const requests = host.tools.requests.get(taskId) ?? 0;
    const attempts = entries.filter((entry) => entry.path === path || entry.path.startsWith(`${path}~`)).length;
    if (requests > attempts) checker.violate('at most one effect', `step ${path} of ${name} was requested ${requests} times, and nothing went wrong`);
  }
}

/** Whoever looks sees the end, as long as Redis forgets nothing. */
function checkShown({ checker, redis }: Parts, planSha256: string, status: PlanEnd['status'], name: string): void {
  const shown = redis.losses > 0 ? undefined : redis.views.rows.get(planSha256);
  if (shown !== undefined && shown.state !== (status === 'SUCCESS' ? 'success' : 'failure'))
    checker.violate('readers see the end', `${name} has ended with ${status}, and is shown as ${shown.state}`);
}

function checkPace({ checker, world, tickets, redis }: Parts, { plan }: PlanTicket, name: string): void {
  // It waits for somebody.
  if (plan.steps.includes('approval')) return;
  const ended = checker.planEndedAt.get(plan.raw ? `raw-${name.slice(5)}` : `p_${[...redis.views.rows.keys()][0] ?? ''}`);
  const calm = [...world.struck.keys()].every((kind) => SHORT.has(kind)) && tickets.length === 0;
  if (ended === undefined || !calm || world.scenario.boundAt > 0 || areStepsSlow(world.scenario) || retriesOf(world.scenario) !== undefined) return;
  // Whoever retries a plan that was cancelled takes his time.
  if (plan.retried && cancelAfter(world.scenario) !== undefined) return;
  const first = world.struck.size === 0 ? STEP_MS : GOES_ON_MS;
  const waited = ended - Math.max(plan.at, world.lastTrouble);
  if (waited > first + STEP_MS * plan.steps.length) checker.violate('nobody starves', `${name} ended ${Math.round(waited)} ms after the last trouble`);
}
