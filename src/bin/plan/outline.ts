import { queueName, type ToolQueue } from '../../../queues/catalog.ts';
import { APPROVAL_TOOL, CAPABILITY_QUEUE, type CapabilityId } from '../../contracts/index.ts';
import type { PlannedEffect, PlannedStep, ToolEffectClass } from '../../core/ports/index.ts';
import { type DescribedStep, policiesOf } from '../../executors/plan/index.ts';

/** What is known about a bound tool before it is called. */
export type BoundFacts =
  | { readonly adapter: 'writ' }
  | { readonly adapter: 'http' | 'mcp'; readonly provider: string; readonly effects: ReadonlyMap<string, ToolEffectClass> };

/** What the capabilities of Writ do, and whether an undo takes it back. */
const CAPABILITY_EFFECT = {
  FILE_MOVE: { effect: 'once', reversible: true },
  FILE_COPY: { effect: 'once', reversible: false },
  FILE_DELETE: { effect: 'once', reversible: true },
  SEARCH_FILES: { effect: 'none', reversible: false },
  SEARCH_EMAILS: { effect: 'none', reversible: false },
  SEARCH_DATASETS: { effect: 'none', reversible: false },
  CONTENT_SEARCH: { effect: 'none', reversible: false },
} satisfies Partial<Record<CapabilityId, { readonly effect: ToolEffectClass; readonly reversible: boolean }>>;

/** A step of the tree with where it goes on this host. */
export function plannedStep(step: DescribedStep, bindingOf: (ref: string) => BoundFacts | undefined, pool: string): PlannedStep {
  const { path, depth, type, ref, operation } = step;
  const effect = step.wrong ?? (type === 'tool' ? effectOf(ref, operation, bindingOf(ref), pool) : undefined);
  return { path, depth, type, ref, operation, policies: policiesOf(step), effect };
}

/** What cannot be known before the step runs counts as the worst that it may be. */
function effectOf(ref: string, operation: string | undefined, bound: BoundFacts | undefined, pool: string): PlannedEffect {
  if (bound === undefined) return { kind: 'unbound' };
  if (bound.adapter === 'writ') {
    if (ref === APPROVAL_TOOL) return { kind: 'approval' };
    if (operation === undefined)
      return { kind: 'task', capability: '(chosen when it runs)', queue: queueName('file', pool), effect: 'once', reversible: false };
    return isServed(operation)
      ? { kind: 'task', capability: operation, queue: queueName(CAPABILITY_QUEUE[operation], pool), ...CAPABILITY_EFFECT[operation] }
      : { kind: 'unbound', of: 'operation' };
  }
  const { adapter, provider, effects } = bound;
  const queue: ToolQueue = `tool-${provider}`;
  const effect = operation === undefined ? 'once' : effects.get(operation);
  return effect === undefined ? { kind: 'unbound', of: 'operation' } : { kind: 'request', adapter, provider, queue: queueName(queue, pool), effect };
}

function isServed(operation: string): operation is keyof typeof CAPABILITY_EFFECT {
  return Object.hasOwn(CAPABILITY_EFFECT, operation);
}
