import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import {
  type ApprovalView,
  type ExecutionResult,
  type KeySet,
  type PlanRecord,
  type PlanResult,
  type PlanStepRecord,
  type PlanUndoAnswer,
  type TaskManifest,
  verifyPlanResult,
  verifyResult,
} from '../../../src/surfaces/client/index.ts';
import { codeOf, insist } from './insist.ts';
import type { Installation } from './installation.ts';
import { idsOf } from './load/letters.ts';
import { manifestOf } from './load/push-task.ts';
import { ENDPOINTS } from './model.ts';
import { noticesOf } from './operator.ts';
import { plansOf } from './peace.ts';
import type { Delivery } from './receivers.ts';
import type { Stage } from './stage.ts';
import type { FiringRecord, PlanEnd, Taken, TaskEnd, UndoEnd, World } from './world.ts';

/** Looks at everything, first through the surfaces, then at what lies on the disk when all roles have been stopped. */
export async function collect(stage: Stage): Promise<World> {
  const { site, model } = stage;
  // The executors' own file, and not what the API says of it.
  const keys = JSON.parse(readFileSync(site.places.executorKeyring, 'utf8')) as KeySet;
  const tasks = new Map<string, TaskEnd>();
  for (const ask of model.tasks) tasks.set(ask.id, await taskEnd(stage, manifestOf(ask), keys));
  const undos = new Map<string, UndoEnd>();
  for (const { plan } of model.undos) {
    const answers = [await undoOf(stage, plan), await undoOf(stage, plan)];
    const [answer] = answers;
    if (answer !== undefined) undos.set(plan, { answer, ids: answers.map((one) => one.plan_id) });
  }
  const plans = new Map<string, PlanEnd>();
  const approvals = new Map<string, readonly ApprovalView[]>();
  const journal = await plansOf(stage);
  for (const { id } of model.plans) {
    plans.set(id, await planEnd(stage, id, keys, journal.get(id)));
    approvals.set(id, (await insist(() => site.client.plans.approvals({ plan: id }), stage.over)).approvals);
  }
  const letters = new Map<string, readonly number[]>();
  for (const { key, word } of model.letters) letters.set(key, await idsOf(stage, word));
  const notices = await noticesOf(stage);
  const unanswered = ENDPOINTS.filter((endpoint) => site.receivers[endpoint].unanswered > 0);
  const audit = await site.cli(['audit', 'verify']);
  const undrained = await site.roles.stop();
  const files = filesOf(site.base);
  return {
    files,
    changed: new Map([...files.keys()].map((file) => [file, statSync(file).ctimeMs])),
    tasks,
    plans,
    undos,
    asked: site.provider.heard,
    taken: await Promise.all(site.deliveries.map((delivery) => takenOf(delivery, keys))),
    notices,
    unanswered,
    firings: firingsOf(site, stage),
    approvals,
    letters,
    auditFault: audit.code === 0 ? undefined : `${audit.out}${audit.err}`,
    undrained,
  };
}

async function taskEnd({ site, over }: Stage, manifest: TaskManifest, keys: KeySet): Promise<TaskEnd> {
  try {
    const { result, cause } = await insist(() => site.client.tasks.get(manifest.task_id), over);
    if (result === undefined) return { status: 'none', says: '', signed: false };
    const { ok } = await verifyResult(result, manifest, keys);
    const says = result.error === null ? result.signature : `${result.error.error_code}: ${result.error.message}`;
    return { status: cause?.reason === 'outcome_unknown' ? 'unknown' : result.status, says, signed: ok };
  } catch (error) {
    return { status: 'none', says: codeOf(error) ?? String(error), signed: false };
  }
}

async function planEnd({ site, over }: Stage, id: string, keys: KeySet, record: PlanRecord | undefined): Promise<PlanEnd> {
  if (record === undefined) return { state: 'none', code: undefined, signed: false, steps: [] };
  const steps = await insist(() => listed(site.client.plans.history(id)), over);
  const { state, error, result } = await insist(() => site.client.plans.get(id, { memory: true }), over);
  const signed = result !== undefined && (await verifyPlanResult(result, id, keys)).ok;
  return { state, code: error?.code, signed, steps };
}

async function listed(steps: AsyncGenerator<PlanStepRecord>): Promise<readonly PlanStepRecord[]> {
  const all: PlanStepRecord[] = [];
  for await (const step of steps) all.push(step);
  return all;
}

const UNDO_ROUNDS = 20;
const UNDO_WAIT_S = 3;

/** The undo of a plan. Asked again after Redis has lost its end it is put on the queue once more, and tells the same end. */
async function undoOf({ site, over }: Stage, plan: string): Promise<PlanUndoAnswer> {
  for (let round = 1; ; round += 1) {
    const answer = await insist(() => site.client.plans.undo(plan, { wait: UNDO_WAIT_S }), over);
    if (answer.state === 'success' || answer.state === 'failure' || round === UNDO_ROUNDS) return answer;
  }
}

interface NoticeBody {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly task_id?: string;
    readonly plan_id?: string;
    readonly capability_id?: string;
    readonly manifest_sha256?: string;
    readonly result?: unknown;
  };
}

async function takenOf({ endpoint, id, body, genuine, status }: Delivery, keys: KeySet): Promise<Taken> {
  const { type, timestamp, data } = JSON.parse(body) as NoticeBody;
  const { task_id, plan_id, capability_id = '', manifest_sha256 = '', result } = data;
  const { ok } =
    plan_id === undefined
      ? await verifyResult(result as ExecutionResult, { task_id: task_id ?? '', capability_id, manifest_sha256 }, keys)
      : await verifyPlanResult(result as PlanResult, plan_id, keys);
  const subject = plan_id ?? task_id ?? '';
  return { endpoint, id, body, genuine, status, type, timestamp, subject, signed: ok, capability: capability_id, result: JSON.stringify(result) };
}

/** The sign of a vault, which its executor puts there. */
const MARK = '.writ-mark';

/** Every file below a directory, and what it holds. */
export function filesOf(base: string): ReadonlyMap<string, string> {
  const entries = readdirSync(base, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && entry.name !== MARK);
  return new Map(entries.map((entry) => path.join(entry.parentPath, entry.name)).map((file) => [file, readFileSync(file, 'utf8')]));
}

const ALL = 100_000;

/** The kernel's own rows: the surfaces show the last 50 of each schedule. */
function firingsOf({ places }: Installation, { model }: Stage): readonly FiringRecord[] {
  const store = openKernelStore(path.dirname(places.kernelStore));
  const all = model.schedules.flatMap(({ id }) =>
    store.schedules.firings(id, ALL).map(({ taskId, schedule, planned, state, detail }) => ({ id: taskId, schedule, planned, state, detail })),
  );
  store.close();
  return all;
}
