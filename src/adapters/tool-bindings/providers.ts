import { providerOf, ToolBinding } from '../../contracts/index.ts';
import { jsonFilesIn, readRegistryFile } from '../registries/registry-file.ts';
import { BINDINGS_FOLDER } from './folder.ts';

/**
 * Providers of the tools that are bound on this host, for those who look at their queues; without the adapters, which a
 * command need not load. A binding with a fault has no queue: the worker refuses to start with it, and says why.
 *
 * @param roots a later one replaces bindings of the same tool
 * @throws WritError INVALID_CONFIG for a file that cannot be read
 */
export function boundProviders(roots: readonly string[]): readonly string[] {
  // Later roots replace bindings of the same tool.
  const byTool = new Map<string, string | undefined>();
  for (const root of roots) {
    for (const file of jsonFilesIn(root, BINDINGS_FOLDER)) {
      const binding = ToolBinding.safeParse(readRegistryFile(root, file)).data;
      if (binding) byTool.set(binding.tool, binding.adapter === 'writ' ? undefined : providerOf(binding));
    }
  }
  return [...new Set([...byTool.values()].filter((provider) => provider !== undefined))].sort();
}
