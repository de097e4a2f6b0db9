import type { Config } from '../../../config/schema.ts';
import { jsonFilesIn, readRegistryFile } from '../../adapters/registries/registry-file.ts';
import { providerOf, ToolBinding } from '../../contracts/index.ts';
import { registryRoots } from './registry-roots.ts';

/**
 * Providers of the tools that are bound on this host, for those who look at their queues; without the adapters, which a
 * command need not load. A binding with a fault has no queue: the worker refuses to start with it, and says why.
 *
 * @throws WritError INVALID_CONFIG for a file that cannot be read
 */
export function boundProviders(config: Config): readonly string[] {
  // Later roots replace bindings of the same tool.
  const byTool = new Map<string, string | undefined>();
  for (const root of registryRoots(config)) {
    for (const file of jsonFilesIn(root, 'config/tool-bindings')) {
      const binding = ToolBinding.safeParse(readRegistryFile(root, file)).data;
      if (binding) byTool.set(binding.tool, binding.adapter === 'writ' ? undefined : providerOf(binding));
    }
  }
  return [...new Set([...byTool.values()].filter((provider) => provider !== undefined))].sort();
}
