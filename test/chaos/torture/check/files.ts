import type { Bait, FileDeed, Model, ScheduleAsk } from '../model.ts';
import type { World } from '../world.ts';
import { endOfStep, type StepEnd } from './steps.ts';

/** One deed, and what its executor says of it. */
interface Done {
  readonly who: string;
  readonly deed: FileDeed;
  readonly end: StepEnd;
  readonly undone: boolean;
  readonly bait?: Bait | undefined;
}

/** Where a deleted file lies; its name in there is the executor's. */
const VAULT = /\/\.writ-vault\//;

/**
 * An effect if and only if SUCCESS, once, on the right file, and nothing else: every content that was made stands in exactly
 * the places that the ends tell, and there is no other file.
 */
export function judgeFiles(model: Model, world: World): readonly string[] {
  const places = placesOf(world.files);
  const known = new Set<string>();
  const found = (content: string): readonly string[] => {
    known.add(content);
    return places.get(content) ?? [];
  };
  return [
    ...deedsOf(model, world).flatMap((done) => [...placed(done, found(done.deed.content)), ...baited(done, found)]),
    ...rivalsOf(model).flatMap((rivals) => oneOf(rivals, world, found)),
    ...[...model.bystanders].flatMap(([file, content]) => standing(`a bystander`, found(content), [file])),
    ...model.schedules.flatMap((schedule) => copied(schedule, world, found)),
    ...[...places]
      .filter(([content]) => !known.has(content))
      .map(([content, at]) => `nobody asked for ${at.join(' and ')}, which holds ${JSON.stringify(content.slice(0, 60))}`),
  ];
}

function placesOf(files: World['files']): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const [file, content] of files) places.set(content, [...(places.get(content) ?? []), file]);
  return places;
}

function deedsOf(model: Model, world: World): readonly Done[] {
  const tasks = model.tasks
    .filter(({ rival }) => !rival)
    .map((ask) => ({ who: ask.id, deed: ask, end: world.tasks.get(ask.id)?.status ?? ('none' as const), undone: false, bait: ask.bait }));
  const steps = model.plans.flatMap((plan) =>
    plan.steps.flatMap((step) => {
      if (step.kind !== 'file') return [];
      const undone = world.undos.get(plan.id)?.answer.steps.some(({ path, result }) => path === step.path && result === 'undone') === true;
      return [{ who: `${plan.name} step ${step.path}`, deed: step, end: endOfStep(world, plan.id, step.path), undone }];
    }),
  );
  return [...tasks, ...steps];
}

/** Where the content must stand, by what was said. */
function placed({ who, deed, end, undone, bait }: Done, found: readonly string[]): readonly string[] {
  const [before, after] = [[deed.source], afterwards(deed, bait)];
  if (end === 'SUCCESS' && !undone) return after === undefined ? inVault(who, found) : standing(who, found, after);
  // Nobody can tell: one of both, whole.
  if (end === 'unknown')
    return isAt(found, before) || (after === undefined ? found.every((file) => VAULT.test(file)) && found.length === 1 : isAt(found, after))
      ? []
      : standing(who, found, before);
  return standing(`${who} (${undone ? 'taken back' : end})`, found, before);
}

function afterwards({ does, source, destination }: FileDeed, bait: Bait | undefined): readonly string[] | undefined {
  if (destination === undefined) return undefined;
  const landed = bait?.taken ?? destination;
  return does === 'copy' ? [source, landed] : [landed];
}

function baited({ who, deed, bait }: Done, found: (content: string) => readonly string[]): readonly string[] {
  return bait === undefined ? [] : standing(`${who} has had its effect twice: its bait`, found(bait.content), [deed.source]);
}

function rivalsOf({ tasks }: Model): readonly (readonly Model['tasks'][number][])[] {
  const groups = new Map<string, Model['tasks'][number][]>();
  for (const task of tasks) if (task.rival) groups.set(task.content, [...(groups.get(task.content) ?? []), task]);
  return [...groups.values()];
}

/** One of them at most has the file, and it is the one that says so. */
function oneOf(rivals: readonly Model['tasks'][number][], world: World, found: (content: string) => readonly string[]): readonly string[] {
  const [first] = rivals;
  if (first === undefined) return [];
  const at = found(first.content);
  const winners = rivals.filter(({ id }) => world.tasks.get(id)?.status === 'SUCCESS');
  if (winners.length > 1) return [`${winners.map(({ id }) => id).join(' and ')} have both moved one file`];
  const [winner] = winners;
  const unknown = rivals.filter(({ id }) => world.tasks.get(id)?.status === 'unknown').map(({ destination }) => destination);
  if (winner === undefined && at.length === 1 && unknown.includes(at[0])) return [];
  return standing(winner?.id ?? `${first.id} and its rivals, which all failed`, at, [winner?.destination ?? first.source]);
}

/** A copy for each firing that succeeded; of a schedule that was removed, perhaps for one whose end nobody waited for. */
function copied({ id, copies, removed }: ScheduleAsk, { firings }: World, found: (content: string) => readonly string[]): readonly string[] {
  if (copies === undefined) return [];
  const mine = firings.filter(({ schedule, state }) => schedule === id && state !== 'skipped');
  const places = (some: typeof mine): readonly string[] => some.map(({ planned }) => copies.destination(new Date(planned * 60_000).toISOString()));
  const unseen = removed ? places(mine.filter(({ state, detail }) => state !== 'ended' || detail === 'removed')) : [];
  const seen = found(copies.content).filter((file) => !unseen.includes(file));
  return standing(`copies of ${id}`, seen, [copies.source, ...places(mine.filter(({ detail }) => detail === 'SUCCESS'))]);
}

function inVault(who: string, found: readonly string[]): readonly string[] {
  return found.length === 1 && VAULT.test(found[0] ?? '') ? [] : [`${who} was deleted, and its content stands at ${shown(found)}`];
}

function standing(who: string, found: readonly string[], expected: readonly string[]): readonly string[] {
  return isAt(found, expected) ? [] : [`${who}: its content stands at ${shown(found)} instead of ${shown(expected)}`];
}

function isAt(found: readonly string[], expected: readonly string[]): boolean {
  return found.length === expected.length && expected.every((file) => found.includes(file));
}

function shown(files: readonly string[]): string {
  return files.length === 0 ? 'nowhere' : files.join(' and ');
}
