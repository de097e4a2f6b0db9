import { setTimeout as delay } from 'node:timers/promises';
import type { PlanRecord } from '../../../src/surfaces/client/index.ts';
import { patient } from '../../support/patience.ts';
import { EVERY_PLAN } from './check/notices.ts';
import { insist } from './insist.ts';
import { finishTask } from './load/push-task.ts';
import { switchSchedule } from './load/schedules.ts';
import type { Endpoint } from './model.ts';
import { sendDeadAgain } from './operator.ts';
import { isKept } from './receivers.ts';
import type { Stage } from './stage.ts';

const LOOK_MS = 1000;
/** A notice that was refused in the last seconds comes again within a minute; an end that Redis has lost is found by a second look, a minute after the first. */
const TOLD_MS = patient(150_000);
const ENDED_MS = patient(90_000);

/** All faults have stopped: nothing is asked any more, and what was asked comes to its end. What does not within its time, the checker finds. */
export async function makePeace(stage: Stage): Promise<void> {
  const { site, model } = stage;
  for (const receiver of Object.values(site.receivers)) {
    receiver.mood = 'fine';
    await receiver.live();
  }
  site.provider.slowMs = 0;
  for (const ask of model.schedules) if (ask.active.at(-1)?.mayUntil === Number.POSITIVE_INFINITY) await switchSchedule(stage, ask, 'pause');
  // Redis may have lost ends that nobody had looked at: whoever pushed shows them again (docs/webhooks.md).
  if (model.losses.length > 0) await showAgain(stage);
  // A firing that was pushed while the clock was ahead is looked at when that time has come.
  const ahead = Math.max(0, ...model.jumps.map(({ aheadMs }) => aheadMs));
  await until(() => haveFired(stage), ENDED_MS + ahead);
  await until(() => areTold(stage), TOLD_MS);
}

/** Plans that have failed are left: pushed again they would run on. */
async function showAgain(stage: Stage): Promise<void> {
  const { client } = stage.site;
  for (const ask of stage.model.tasks) await finishTask(stage, ask);
  const journal = await plansOf(stage);
  for (const [id, push] of stage.again) {
    if (journal.get(id)?.state !== 'success') continue;
    await push();
    await insist(() => client.plans.wait(id, { timeoutMs: ENDED_MS }), stage.over);
  }
}

/** Every plan that the journal of this host has, by id. */
export async function plansOf({ site, over }: Stage): Promise<ReadonlyMap<string, PlanRecord>> {
  return insist(async () => {
    const all = new Map<string, PlanRecord>();
    for await (const record of site.client.plans.list()) all.set(record.plan_id, record);
    return all;
  }, over);
}

/** Whether no firing is under way; of the last 50 of each schedule, as the surfaces show them. */
async function haveFired({ site, model, over }: Stage): Promise<boolean> {
  for (const { id } of model.schedules.filter(({ removed }) => !removed)) {
    const { firings = [] } = await insist(() => site.client.schedules.get(id), over);
    if (firings.some(({ state }) => state === 'due' || state === 'pushed')) return false;
  }
  return true;
}

async function areTold(stage: Stage): Promise<boolean> {
  const { site, model, over } = stage;
  const { endpoints } = await insist(() => site.client.webhooks.list(), over);
  for (const { endpoint, dead } of endpoints) if (dead > 0) await sendDeadAgain(stage, endpoint as Endpoint);
  if (endpoints.some(({ pending, dead }) => pending + dead > 0)) return false;
  const heard = new Set(site.deliveries.filter(isKept).map(({ endpoint, body }) => `${endpoint} ${subjectOf(body)}`));
  const made = (await plansOf(stage)).values();
  const wanted = [
    ...[...model.tasks, ...model.plans].flatMap(({ id, told }) => told.map((endpoint) => ({ endpoint, id }))),
    ...[...made].flatMap(({ plan_id: id, state }) => (state === 'success' ? EVERY_PLAN.map((endpoint) => ({ endpoint, id })) : [])),
  ];
  return wanted.every(({ endpoint, id }) => heard.has(`${endpoint} ${id}`));
}

function subjectOf(body: string): string {
  const { data } = JSON.parse(body) as { data: { task_id?: string; plan_id?: string } };
  return data.plan_id ?? data.task_id ?? '';
}

async function until(holds: () => Promise<boolean>, ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end && !(await holds())) await delay(LOOK_MS);
}
