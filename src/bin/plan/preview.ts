import { packageRoot } from '../../../config/places.ts';
import type { Config } from '../../../config/schema.ts';
import { readRegistries } from '../../adapters/registries/index.ts';
import { WritError } from '../../core/errors.ts';
import type { PlanPreview } from '../../core/ports/index.ts';

export function createPlanPreview(config: Config): PlanPreview {
  const registries = readRegistries({ shipped: packageRoot(), own: config.plan.registry_dir });
  return {
    link: () => {
      throw new WritError('INVALID_MANIFEST', `not linked yet: ${registries.refs('tools').length} tools`);
    },
    outline: () => [],
  };
}
