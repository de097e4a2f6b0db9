import { packageRoot } from '../../../config/package.ts';
import type { Config } from '../../../config/schema.ts';

/** Where definitions and bindings lie: what Writ ships, then what is the user's own, which replaces it. */
export function registryRoots({ plan }: Pick<Config, 'plan'>): readonly string[] {
  return [packageRoot(), ...(plan.registry_dir === '' ? [] : [plan.registry_dir])];
}
