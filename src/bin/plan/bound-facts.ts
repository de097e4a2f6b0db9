import { packageRoot } from '../../../config/places.ts';
import type { Config } from '../../../config/schema.ts';
import { jsonFilesIn, readRegistryFile } from '../../adapters/registries/registry-file.ts';
import { ToolBinding } from '../../contracts/index.ts';
import type { BoundFacts } from './outline.ts';

export function readBoundFacts(config: Config): (ref: string) => BoundFacts | undefined {
  const known = new Map<string, BoundFacts>();
  for (const root of [packageRoot(), config.plan.registry_dir]) {
    if (root === '') continue;
    for (const file of jsonFilesIn(root, 'config/tool-bindings')) {
      const binding = ToolBinding.parse(readRegistryFile(root, file));
      known.set(binding.tool, factsOf(binding));
    }
  }
  return (ref) => known.get(ref);
}

function factsOf(binding: ToolBinding): BoundFacts {
  if (binding.adapter === 'writ') return { adapter: 'writ' };
  const effects = new Map(Object.entries(binding.actions).map(([name, { effect }]) => [name, effect ?? 'once'] as const));
  return { adapter: binding.adapter, provider: binding.provider ?? binding.tool, effects };
}
