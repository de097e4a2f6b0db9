import { packageRoot } from '../../../config/package.ts';
import type { Config } from '../../../config/schema.ts';
import { type RegistryDirectories, rootsOf } from '../../adapters/registries/index.ts';

/** Where definitions and bindings lie, by the settings. */
export function registryRoots(config: Pick<Config, 'plan'>): readonly string[] {
  return rootsOf(registryDirectories(config));
}

export function registryDirectories({ plan }: Pick<Config, 'plan'>): RegistryDirectories {
  return { shipped: packageRoot(), own: plan.registry_dir };
}
