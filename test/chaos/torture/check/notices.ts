import type { Endpoint, Model } from '../model.ts';
import type { Taken, World } from '../world.ts';

/**
 * Each end that somebody wants was delivered, or is dead with a why; the same id is the same text; ends of one task are told
 * in their order; what was told was signed by an executor and is true.
 */
export function judgeNotices(model: Model, world: World): readonly string[] {
  return [...forged(world), ...changed(world), ...disordered(world), ...untold(model, world), ...untrue(model, world), ...undecided(world)];
}

const named = ({ endpoint, subject, id }: Taken): string => `${subject} at ${endpoint} (${id})`;

function forged({ taken }: World): readonly string[] {
  return [
    ...taken.filter(({ genuine }) => !genuine).map((one) => `${named(one)} is not signed by the installation`),
    ...taken.filter(({ signed }) => !signed).map((one) => `${named(one)} holds a result that no executor has signed`),
  ];
}

function changed({ taken }: World): readonly string[] {
  const texts = new Map<string, string>();
  return taken.filter(({ id, body }) => (texts.get(id) ?? body) !== body || !texts.set(id, body)).map((one) => `${named(one)} has two texts`);
}

/** The first time that each was kept: what comes again afterwards is a repetition. */
function disordered({ taken }: World): readonly string[] {
  const last = new Map<string, string>();
  const kept = new Set<string>();
  return taken.flatMap((one) => {
    if (!one.kept || kept.has(one.id)) return [];
    kept.add(one.id);
    const course = `${one.endpoint} ${one.subject}`;
    const before = last.get(course) ?? '';
    last.set(course, one.timestamp);
    return before > one.timestamp ? [`${named(one)}, of ${one.timestamp}, was told after one of ${before}`] : [];
  });
}

/** Only the last end of a task must be told: one that was replaced before anybody looked is not. */
function untold({ tasks, plans }: Model, world: World): readonly string[] {
  const wanted = [
    ...tasks.map(({ id, told }) => ({ id, told, end: world.tasks.get(id)?.status === 'SUCCESS' ? 'task.succeeded' : 'task.failed' })),
    ...plans.map(({ id, told }) => ({ id, told, end: world.plans.get(id)?.state === 'success' ? 'plan.succeeded' : 'plan.failed' })),
    ...unasked(world).map((id) => ({ id, told: EVERY_PLAN, end: 'plan.succeeded' })),
  ];
  return wanted.flatMap(({ id, told, end }) =>
    told.filter((endpoint) => !isTold(world, id, endpoint, end)).map((endpoint) => `${endpoint} has not heard ${end} of ${id}`),
  );
}

/** Whom the settings tell of every plan, whoever made it. */
export const EVERY_PLAN: readonly Endpoint[] = ['files'];

/** Plans that were made by a schedule or by an undo, and have succeeded. */
function unasked({ firings, undos }: World): readonly string[] {
  const made = firings.filter(({ id, detail }) => id.startsWith('p-') && detail === 'SUCCESS').map(({ id }) => id.slice('p-'.length));
  return [...made, ...[...undos.values()].filter(({ answer }) => answer.state === 'success').map(({ answer }) => answer.plan_id)];
}

export function isTold({ taken, notices }: Pick<World, 'taken' | 'notices'>, id: string, endpoint: Endpoint, end: string): boolean {
  if (taken.some((one) => one.subject === id && one.endpoint === endpoint && one.type === end && one.kept)) return true;
  return notices.some((one) => (one.task_id ?? one.plan_id) === id && one.endpoint === endpoint && one.state === 'dead' && one.problem !== undefined);
}

/** A success is one for ever; a failure may have been followed by another end. */
function untrue({ tasks, plans }: Model, world: World): readonly string[] {
  const succeeded = new Set([
    ...tasks.filter(({ id }) => world.tasks.get(id)?.status === 'SUCCESS').map(({ id }) => id),
    ...plans.filter(({ id }) => world.plans.get(id)?.state === 'success').map(({ id }) => id),
  ]);
  const known = new Set([...tasks, ...plans].map(({ id }) => id));
  return world.taken
    .filter(({ type, subject }) => type.endsWith('.succeeded') && known.has(subject) && !succeeded.has(subject))
    .map((one) => `${named(one)} tells a success that is none`);
}

function undecided({ notices }: World): readonly string[] {
  return notices
    .filter(({ state }) => state === 'pending')
    .map(({ id, endpoint, attempts }) => `${id} for ${endpoint} is still pending after ${attempts} attempts`);
}
