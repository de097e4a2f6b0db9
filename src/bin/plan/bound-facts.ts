import type { Config } from '../../../config/schema.ts';
import { readBindings } from '../../adapters/tool-bindings/read.ts';
import { providerOf, type ToolBinding } from '../../contracts/index.ts';
import type { BoundFacts } from './outline.ts';
import { registryRoots } from './registry-roots.ts';

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
