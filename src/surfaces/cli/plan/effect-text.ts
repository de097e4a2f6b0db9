import { DEFAULT_MAX_STEPS } from '../../../contracts/index.ts';
import type { JsonObject } from '../../../core/json.ts';
import { nearestWord } from '../../../core/nearest-word.ts';
import type { PlannedEffect, PlannedStep, WrongCall } from '../../../core/ports/index.ts';

const CLASS = { none: 'reads', idempotent: 'may be repeated', once: 'once' } as const;

/** What a step does, in a few words: `FILE_COPY on file, once, reversible`. */
export function effectText(effect: PlannedEffect): string {
  switch (effect.kind) {
    case 'task':
      return `${effect.capability} on ${effect.queue}, ${CLASS[effect.effect]}${effect.reversible ? ', reversible' : ''}`;
    case 'request':
      return `${effect.adapter} request to ${effect.provider} on ${effect.queue}, ${CLASS[effect.effect]}`;
    case 'approval':
      return "waits for somebody's word";
    case 'unbound':
      return `${effect.of === 'operation' ? 'the binding of this tool has no such operation' : 'no tool of this name is bound here'} (TOOL_UNAVAILABLE)`;
    case 'wrong':
      return wrongText(effect);
  }
}

/** Names that are told of a definition. */
const MAX_KNOWN = 20;

/** `the operation does not take these parameters: src_path (PARAMS_MISMATCH; known: source_path, destination_path)`. */
function wrongText({ code, message, names, known }: WrongCall): string {
  const near = names.map((name) => nearestWord(name, known));
  const told = names.map((name, at) => (near[at] === undefined ? name : `${name}; did you mean ${near[at]}?`));
  const others = near.includes(undefined) ? `; known: ${known.slice(0, MAX_KNOWN).join(', ')}` : '';
  return `${message}${told.length === 0 ? '' : `: ${told.join(', ')}`} (${code}${others})`;
}

export interface EffectCounts {
  /** Concrete steps; a turn of a `for_each` counts once. */
  tools: number;
  once: number;
  irreversible: number;
  unbound: number;
  /** Calls that their tools do not have. */
  wrong: number;
}

export function countEffects(steps: readonly PlannedStep[]): EffectCounts {
  const counts: EffectCounts = { tools: 0, once: 0, irreversible: 0, unbound: 0, wrong: 0 };
  for (const { effect } of steps) {
    if (effect === undefined) continue;
    counts.tools += 1;
    if (effect.kind === 'unbound') counts.unbound += 1;
    else if (effect.kind === 'wrong') counts.wrong += 1;
    else if (effect.kind !== 'approval' && effect.effect === 'once') {
      counts.once += 1;
      if (effect.kind === 'request' || !effect.reversible) counts.irreversible += 1;
    }
  }
  return counts;
}

/**
 * What is to be known of a linked plan's `maxSteps`: fewer than the tool steps that it can reach. Which of those run is known when they do (a
 * condition, a fallback, the items of a list).
 *
 * @param tools the tool steps of its tree
 */
export function maxStepsWarning({ payload }: JsonObject, tools: number): string | undefined {
  const options = member(payload, 'options');
  const given = member(options, 'maxSteps');
  const most = typeof given === 'number' ? given : DEFAULT_MAX_STEPS;
  return tools <= most ? undefined : `maxSteps allows ${most} calls of tools: a run that reaches one more ends there with MAX_STEPS_EXCEEDED.`;
}

function member(value: JsonObject[string] | undefined, key: string): JsonObject[string] | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value[key] : undefined;
}
