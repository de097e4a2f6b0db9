import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { sha256Hex } from '../../../src/core/hash.ts';
import type { HttpProvider } from '../../support/http-provider.ts';
import type { Run } from './runs.ts';
import type { StepKind } from './scene.ts';

export const UNKNOWN = 'TOOL_OUTCOME_UNKNOWN';

const ONCE: ReadonlySet<StepKind> = new Set<StepKind>(['sent once', 'sent once, refused']);

/** Everything in which a disturbed run contradicts the same steps in peace. An outcome that is said to be unknown contradicts nothing. */
export function contradictions(calm: Run, storm: Run, provider: HttpProvider): readonly string[] {
  const [before, after] = [calm.envelope, storm.envelope];
  if (!before || !after) return [`${before ? 'the disturbed' : 'the undisturbed'} plan did not end`];
  return [
    ...(before.error === null ? [] : [`the undisturbed plan ended with ${before.error.code}`]),
    ...otherAnswers(answersOf(calm), answersOf(storm)),
    ...other('the end', before.error, after.error),
    ...other('the memory', before.output.memory.state, after.output.memory.state),
    ...other('the files', calm.tree, storm.tree),
    ...wronglySent(storm, provider),
  ];
}

/** The answers of a run without what names the run itself: its directory, task ids, and the places in the vault that are named after them. */
export function answersOf({ envelope, scene, plan }: Run): readonly string[] {
  return (envelope?.output.results ?? []).map((entry) =>
    JSON.stringify(entry)
      .replaceAll(scene.directory, '')
      .replaceAll(plan.id, '')
      .replaceAll(/\b(s|d)-[0-9a-f]{40,64}/g, '$1-'),
  );
}

/** How many outcomes of a run are unknown. */
export function unknownIn(run: Run): number {
  return answersOf(run).filter((entry) => entry.includes(UNKNOWN)).length;
}

/** The task of one of the plan's own steps, in its first generation or a later one (docs/plan-protocol.md 2). */
export function taskOf({ id }: Run['plan'], step: number, generation = 0): string {
  return `s-${sha256Hex(canonicalJson([id, `${step}`, generation]))}`;
}

/** More than the pushes of one producer in the time of a run: a plan that has failed and is pushed again takes the next generation. */
const GENERATIONS = 32;

/** How many requests the provider has heard of a step. It ignores Idempotency-Key and counts them all. */
export function heardOf({ plan }: Run, step: number, { asked }: HttpProvider): number {
  const tasks = new Set(Array.from({ length: GENERATIONS }, (_, generation) => taskOf(plan, step, generation)));
  return asked.filter(({ key }) => tasks.has(key ?? '')).length;
}

/** The number of a step among those that a plan reaches or skips: a step that falls back is two of them. */
const ordinalOf = ({ kinds }: Run['scene'], step: number): number => step + kinds.slice(0, step).filter((kind) => kind === 'falls back').length;

/** A `once` request is heard once; not more than once when its outcome is unknown. */
function wronglySent(run: Run, provider: HttpProvider): readonly string[] {
  return run.scene.kinds.flatMap((kind, step) => {
    if (!ONCE.has(kind)) return [];
    const times = heardOf(run, step, provider);
    const answers = run.envelope?.output.results.filter(({ stepId }) => stepId.startsWith(`${ordinalOf(run.scene, step)}-`)) ?? [];
    if (answers.length !== 1 || answers[0]?.ref !== 'chaos.http') return [`step ${step} has the answers ${JSON.stringify(answers)}`];
    const unclear = answers.some(({ error }) => error?.code === UNKNOWN);
    return times === 1 || (unclear && times === 0) ? [] : [`step ${step} was sent ${times} times: ${JSON.stringify(answers)}`];
  });
}

function otherAnswers(before: readonly string[], after: readonly string[]): readonly string[] {
  if (before.length !== after.length) return [`${after.length} results instead of ${before.length}`];
  return after.flatMap((entry, at) => (entry === before[at] || entry.includes(UNKNOWN) ? [] : [`result ${at} is ${entry} instead of ${before[at]}`]));
}

function other(what: string, before: unknown, after: unknown): readonly string[] {
  const [was, is] = [before, after].map((value) => JSON.stringify(value));
  return was === is ? [] : [`${what}: ${is} instead of ${was}`];
}
