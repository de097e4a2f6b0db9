import { packageRoot } from '../../../config/package.ts';
import type { Config } from '../../../config/schema.ts';
import { rootsOf } from '../../adapters/registries/index.ts';

/** Where definitions and bindings lie, by the settings. */
export function registryRoots({ plan }: Pick<Config, 'plan'>): readonly string[] {
  return rootsOf({ shipped: packageRoot(), own: plan.registry_dir });
}
