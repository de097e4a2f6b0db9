import { type Check, examine, type Finding, passed, warning } from '../../core/findings.ts';
import { type RegistryDirectories, readRegistries, rootsOf } from '../registries/index.ts';
import { readBindings } from './read.ts';

/**
 * What plans are made of on this host: definitions, and the tools that they can reach. Asks no tool.
 */
export function examinePlans(directories: RegistryDirectories): Promise<Check[]> {
  const todo = 'correct the file that is named; plan.registry_dir holds your own (docs/plans.md)';
  return examine('Plans', [
    { title: 'registries', look: () => definitions(directories), todo },
    { title: 'tool bindings', look: () => bindings(directories), todo },
  ]);
}

function definitions(directories: RegistryDirectories): Finding {
  const registries = readRegistries(directories);
  const [tools, capabilities, usecases] = (['tools', 'capabilities', 'usecases'] as const).map((category) => registries.refs(category).length);
  return passed(`${tools} tools, ${capabilities} capabilities, ${usecases} use cases`);
}

/** A tool that nobody bound is no fault: its steps answer TOOL_UNAVAILABLE. */
function bindings(directories: RegistryDirectories): Finding {
  const bound = readBindings(rootsOf(directories));
  const tools = readRegistries(directories).refs('tools');
  const loose = [...bound.keys()].filter((ref) => !tools.includes(ref));
  if (loose.length > 0) return warning(`${loose.join(', ')}: bound, but no registry has the tool`, 'add its definition, or see that envelopes bring it');
  return passed(`${[...bound.keys()].sort().join(', ')}; not bound: ${tools.filter((ref) => !bound.has(ref)).join(', ') || 'none'}`);
}
