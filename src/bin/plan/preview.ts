import type { Config } from '../../../config/schema.ts';
import { type Registries, readRegistries } from '../../adapters/registries/index.ts';
import { readBindings } from '../../adapters/tool-bindings/read.ts';
import { providerOf, type ToolBinding } from '../../contracts/index.ts';
import { planRefusal } from '../../core/plan-refusal.ts';
import type { PlanPreview } from '../../core/ports/index.ts';
import { describePlan, envelopeProblems, linkPlan, planLogic } from '../../executors/plan/index.ts';
import { type BoundFacts, plannedStep } from './outline.ts';
import { registryDirectories, registryRoots } from './registry-roots.ts';

export interface PreviewOptions {
  readonly bindingOf?: (ref: string) => BoundFacts | undefined;
  readonly registries?: Pick<Registries, 'lookup' | 'refs'>;
}

/**
 * Links envelopes with the registries of this host, and says where their steps would go.
 *
 * @param options the bindings of this host, and its registries as they are now, unless given
 * @throws WritError INVALID_CONFIG for a registry with a fault; `outline` also for a binding
 */
export function createPlanPreview(config: Config, options: PreviewOptions = {}): PlanPreview {
  const { bindingOf, registries = readRegistries(registryDirectories(config)) } = options;
  return {
    link(envelope) {
      const linked = linkPlan(envelope, registries.lookup, registries.refs);
      if (!linked.ok) throw planRefusal(linked, envelopeProblems(linked.details), registries.refs);
      return { envelope: linked.envelope, planSha256: linked.planSha256 };
    },
    outline(linked) {
      const described = describePlan(linked);
      // What no lease could name is no plan either, and a part of its steps would pass for all of them.
      const reached = planLogic.reach(linked);
      if (described.ok && !reached.ok) throw planRefusal({ details: {}, ...reached }, []);
      if (!described.ok) throw planRefusal(described, envelopeProblems(described.details));
      // Whoever only links needs no binding.
      const facts = bindingOf ?? readBoundFacts(config);
      return described.steps.map((step) => plannedStep(step, facts, config.pool.id));
    },
  };
}

/**
 * What the bindings of this host say about their tools; connects to nothing.
 *
 * @throws WritError INVALID_CONFIG naming the file and the field
 */
export function readBoundFacts(config: Config): (ref: string) => BoundFacts | undefined {
  const found = readBindings(registryRoots(config));
  return (ref) => {
    const binding = found.get(ref)?.binding;
    return binding && factsOf(binding);
  };
}

function factsOf(binding: ToolBinding): BoundFacts {
  if (binding.adapter === 'writ') return { adapter: 'writ' };
  const effects = new Map(Object.entries(binding.actions).map(([name, { effect }]) => [name, effect ?? 'once'] as const));
  return { adapter: binding.adapter, provider: providerOf(binding), effects };
}
