import { isKept } from './receivers.ts';
import type { Stage } from './stage.ts';
import type { World } from './world.ts';

/** What a run was, in numbers. */
export interface Tally {
  readonly minutes: number;
  readonly loads: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly kills: Readonly<Record<string, number>>;
  /** Starts of roles that ended by themselves, because Redis was away. */
  readonly ownEnds: number;
  readonly losses: number;
  readonly tasks: Readonly<Record<string, number>>;
  readonly plans: Readonly<Record<string, number>>;
  readonly steps: number;
  readonly undos: number;
  readonly questions: Readonly<Record<string, number>>;
  readonly firings: Readonly<Record<string, number>>;
  /** Made while the kernel's clock was ahead, before their time. */
  readonly earlyFirings: number;
  readonly requests: number;
  readonly unknownRequests: number;
  readonly deliveries: number;
  readonly keptDeliveries: number;
  readonly unansweredDeliveries: number;
  /** Dead notices that were due again. */
  readonly resent: number;
  readonly notices: Readonly<Record<string, number>>;
  /** Searches, by what they look at. */
  readonly looks: Readonly<Record<string, number>>;
  /** Of those by content, the ones for which the index left files out. */
  readonly indexedLooks: number;
  readonly messages: number;
  readonly walks: number;
}

export function talliedOf({ site, model }: Stage, world: World, done: Pick<Tally, 'loads' | 'faults'>, ms: number): Tally {
  const steps = [...world.plans.values()].flatMap((plan) => plan.steps);
  return {
    ...done,
    minutes: Math.round(ms / 600) / 100,
    kills: site.roles.kills,
    ownEnds: site.roles.ownEnds,
    losses: model.losses.length,
    tasks: counted([...world.tasks.values()].map(({ status }) => status)),
    plans: counted([...world.plans.values()].map(({ state, code }) => code ?? state)),
    steps: steps.length,
    undos: model.undos.length,
    questions: counted([...world.approvals.values()].flatMap((rows) => rows.map(({ state }) => state))),
    firings: counted(world.firings.map(({ state, detail }) => `${state} ${detail ?? ''}`.trim())),
    earlyFirings: model.early.length,
    requests: world.asked.length,
    unknownRequests: steps.filter(({ error_code: code }) => code === 'TOOL_OUTCOME_UNKNOWN').length,
    deliveries: world.taken.length,
    keptDeliveries: world.taken.filter(isKept).length,
    unansweredDeliveries: world.taken.filter(({ status }) => status === 0).length,
    resent: model.resent,
    notices: counted(world.notices.map(({ state }) => state)),
    looks: counted(model.looks.map(({ by }) => by)),
    indexedLooks: model.looks.filter(({ excluded }) => excluded > 0).length,
    messages: model.letters.length,
    walks: model.walks.length,
  };
}

function counted(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** Tallies of several runs added up, field by field. */
export function sumOf(tallies: readonly Tally[]): Tally | undefined {
  return tallies.length === 0 ? undefined : (tallies.reduce<unknown>((sum, one) => added(sum, one), undefined) as Tally);
}

function added(a: unknown, b: unknown): unknown {
  if (typeof b === 'number') return Math.round(((typeof a === 'number' ? a : 0) + b) * 100) / 100;
  const names = new Set([...Object.keys((a ?? {}) as object), ...Object.keys((b ?? {}) as object)]);
  const value = (of: unknown, name: string): unknown => (of as Record<string, unknown> | undefined)?.[name];
  return Object.fromEntries([...names].map((name) => [name, added(value(a, name), value(b, name) ?? 0)]));
}
