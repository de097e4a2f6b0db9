import { packageRoot } from '../../../../config/package.ts';
import type { Config } from '../../../../config/schema.ts';
import { readRegistries } from '../../../adapters/registries/index.ts';
import { readBindings } from '../../../adapters/tool-bindings/read.ts';
import type { Check } from '../../../core/ports/diagnosis.ts';
import { registryRoots } from '../../plan/registry-roots.ts';
import { examine, type Finding, warning, well } from './finding.ts';

/** What plans are made of on this host: definitions, and the tools that they can reach. Asks no tool. */
export function examinePlans(config: Config): Promise<Check[]> {
  const todo = 'correct the file that is named; plan.registry_dir holds your own (docs/plans.md)';
  return examine('Plans', [
    { title: 'registries', look: () => definitions(config), todo },
    { title: 'tool bindings', look: () => bindings(config), todo },
  ]);
}

function definitions({ plan }: Config): Finding {
  const registries = readRegistries({ shipped: packageRoot(), own: plan.registry_dir });
  const [tools, capabilities, usecases] = (['tools', 'capabilities', 'usecases'] as const).map((category) => registries.refs(category).length);
  return well(`${tools} tools, ${capabilities} capabilities, ${usecases} use cases`);
}

/** A tool that nobody bound is no fault: its steps answer TOOL_UNAVAILABLE. */
function bindings(config: Config): Finding {
  const bound = readBindings(registryRoots(config));
  const tools = readRegistries({ shipped: packageRoot(), own: config.plan.registry_dir }).refs('tools');
  const loose = [...bound.keys()].filter((ref) => !tools.includes(ref));
  if (loose.length > 0) return warning(`${loose.join(', ')}: bound, but no registry has the tool`, 'add its definition, or see that envelopes bring it');
  return well(`${[...bound.keys()].sort().join(', ')}; not bound: ${tools.filter((ref) => !bound.has(ref)).join(', ') || 'none'}`);
}
