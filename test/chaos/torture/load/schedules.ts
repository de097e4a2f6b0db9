import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Envelope, ScheduleRequest } from '../../../../src/surfaces/client/index.ts';
import { codeOf, insist } from '../insist.ts';
import type { ScheduleAsk, Span } from '../model.ts';
import { TOOL } from '../provider.ts';
import type { Stage } from '../stage.ts';

/** The finest that there is: every minute. */
const CRON = '* * * * *';

/** A schedule of requests that leave once each, or of plans that copy a file to a place of their own. */
export async function addSchedule(stage: Stage): Promise<ScheduleAsk> {
  const { random, model, site } = stage;
  const id = `schedule-${stage.next()}`;
  const overlap = random.pick(['skip', 'allow'] as const);
  const missed = overlap === 'allow' ? random.pick(['latest', 'all', 'skip'] as const) : random.pick(['latest', 'skip'] as const);
  const makes = random.pick(['request', 'plan'] as const);
  const span: Span = { mayFrom: Date.now(), mustFrom: Number.POSITIVE_INFINITY, mustUntil: Number.POSITIVE_INFINITY, mayUntil: Number.POSITIVE_INFINITY };
  const copies = makes === 'plan' ? copiesOf(stage) : undefined;
  const ask: ScheduleAsk = { id, makes, missed, overlap, active: [span], ...(copies === undefined ? {} : { copies }) };
  model.schedules.push(ask);
  const what: Partial<ScheduleRequest> = copies === undefined ? { manifest: requestOf(id) } : { envelope: copyingPlan(id, copies), id };
  await insist(() => site.client.schedules.add({ ...what, cron: CRON, missed, overlap }), stage.over);
  span.mustFrom = Date.now();
  return ask;
}

/** A schedule that is paused for a moment and goes on, or is removed, now and then. */
export async function meddledSchedule(stage: Stage): Promise<void> {
  const ask = await addSchedule(stage);
  await delay(stage.random.integer(3000));
  if (!stage.random.chance(0.5)) return;
  await switchSchedule(stage, ask, 'pause');
  await delay(stage.random.integer(2000));
  if (stage.random.chance(0.7)) await switchSchedule(stage, ask, 'resume');
  if (stage.random.chance(0.3)) await switchSchedule(stage, ask, 'remove');
}

/** Says it until it was done, and writes down when it may have been. */
export async function switchSchedule({ site, over }: Stage, ask: ScheduleAsk, action: 'pause' | 'resume' | 'remove'): Promise<void> {
  const now = Date.now();
  const last = ask.active.at(-1);
  if (action !== 'resume' && last !== undefined) last.mustUntil = Math.min(last.mustUntil, now);
  await insist(() => site.client.schedules[action](ask.id), over).catch((error: unknown) => {
    // A removal whose answer was lost has been done.
    if (action !== 'remove' || codeOf(error) !== 'NOT_FOUND') throw error;
  });
  const done = Date.now();
  if (action === 'remove') ask.removed = true;
  if (action === 'resume') ask.active.push({ mayFrom: now, mustFrom: done, mustUntil: Number.POSITIVE_INFINITY, mayUntil: Number.POSITIVE_INFINITY });
  else if (last !== undefined) last.mayUntil = Math.min(last.mayUntil, done);
}

function copiesOf(stage: Stage): NonNullable<ScheduleAsk['copies']> {
  const { source, content } = stage.deed('copy');
  const folder = path.dirname(source);
  const name = path.basename(source);
  return { source, content, destination: (planned) => path.join(folder, `${name}-at-${planned}`) };
}

function requestOf(id: string) {
  return { task_id: id, capability_id: 'TOOL_CALL', inputs: { tool: TOOL, operation: 'send', params: { n: id } }, constraints: {} };
}

function copyingPlan(id: string, { source, destination }: NonNullable<ScheduleAsk['copies']>): Envelope {
  const params = { source_path: source, destination_path: destination('{{context.schedule.planned}}') };
  return {
    header: { id, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'torture', destination: 'executor', type: 'execution' },
    payload: {
      steps: [{ type: 'tool', ref: 'writ.file', operation: 'FILE_COPY', params }],
      memory: { session_id: id, state: {} },
      options: { interpolate: 'all' },
    },
  };
}
