import type { Endpoint, Model } from '../model.ts';
import { isKept, isRefusedForGood } from '../receivers.ts';
import type { Taken, World } from '../world.ts';

/**
 * Each end that somebody wants was delivered, to nobody else, and none is dead when everything was sent again; the same id
 * is the same text and the same end the same id; ends of one task are told in their order, unless they were dead between;
 * what was told was signed by an executor and is true; no attempt waits for ever.
 */
export function judgeNotices(model: Model, world: World): readonly string[] {
  return [
    ...forged(world),
    ...changed(world),
    ...renamed(world),
    ...disordered(world),
    ...untold(model, world),
    ...unwanted(model, world),
    ...untrue(model, world),
    ...undecided(world),
  ];
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

/** Also of one that was dead and is sent again: the receiver must know it by its id. */
function renamed({ taken }: World): readonly string[] {
  const ids = new Map<string, string>();
  const end = ({ endpoint, subject, result }: Taken): string => JSON.stringify([endpoint, subject, result]);
  return taken.filter((one) => (ids.get(end(one)) ?? one.id) !== one.id || !ids.set(end(one), one.id)).map((one) => `${named(one)} was told under another id`);
}

/** The first time that each was kept: what comes again afterwards is a repetition, and what was refused for good comes when an operator says so. */
function disordered({ taken }: World): readonly string[] {
  const last = new Map<string, string>();
  const kept = new Set<string>();
  const dead = new Set(taken.filter(isRefusedForGood).map(({ id }) => id));
  return taken.flatMap((one) => {
    if (!isKept(one) || kept.has(one.id) || dead.has(one.id)) return [];
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

function isTold({ taken }: World, id: string, endpoint: Endpoint, end: string): boolean {
  return taken.some((one) => one.subject === id && one.endpoint === endpoint && one.type === end && isKept(one));
}

const FILE_CAPABILITY = /^FILE_/;

/** What each endpoint may be told of: steps of plans are file tasks, and plans are made by schedules and undos, too. */
function unwanted({ tasks, plans, searches }: Model, world: World): readonly string[] {
  const pushed = [...tasks, ...plans];
  const may = {
    files: ({ subject, capability, type }) =>
      type.startsWith('task.') ? FILE_CAPABILITY.test(capability) : plans.some(({ id }) => id === subject) || madePlans(world).has(subject),
    mine: ({ subject }) => searches.has(subject) || pushed.some(({ id }) => id === subject),
    named: ({ subject }) => pushed.some((ask) => ask.id === subject && [...ask.told, ...('mayHear' in ask ? (ask.mayHear ?? []) : [])].includes('named')),
  } satisfies Record<Endpoint, (one: Taken) => boolean>;
  return world.taken.filter((one) => !may[one.endpoint](one)).map((one) => `${named(one)} is nothing that it wants`);
}

/** Whatever has become of them. */
function madePlans({ firings, undos }: World): ReadonlySet<string> {
  const made = firings.filter(({ id }) => id.startsWith('p-')).map(({ id }) => id.slice('p-'.length));
  return new Set([...made, ...[...undos.values()].map(({ answer }) => answer.plan_id)]);
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

function undecided({ notices, unanswered }: World): readonly string[] {
  return [
    ...notices
      .filter(({ state }) => state === 'pending')
      .map(({ id, endpoint, attempts }) => `${id} for ${endpoint} is still pending after ${attempts} attempts`),
    ...notices.filter(({ state }) => state === 'dead').map(({ id, endpoint, problem }) => `${id} for ${endpoint} is dead, though sent again: ${problem}`),
    ...unanswered.map((endpoint) => `an attempt at ${endpoint} waits for ever`),
  ];
}
