import { CONTENT_SEARCH, FILE_CAPABILITIES, type PlanLeasePayload, SEARCH_CAPABILITIES } from '../contracts/index.ts';
import { WritError } from '../core/errors.ts';
import type { PlanStep } from '../core/plan-step.ts';
import { isSearchPlaceIn } from '../core/search-place.ts';
import { isBelow } from './paths.ts';

/** The inputs of a capability that must lie in the plan's scopes, and how they are compared. */
const SCOPED = [
  { capabilities: FILE_CAPABILITIES, inputs: ['source_path', 'destination_path'], inside: isBelow, absent: 'allowed' },
  { capabilities: SEARCH_CAPABILITIES, inputs: ['target_scope'], inside: (value: unknown, scope: string) => value === scope, absent: 'allowed' },
  // Without a path a content search looks everywhere that it may.
  { capabilities: new Set<string>([CONTENT_SEARCH]), inputs: ['path'], inside: isSearchPlaceIn, absent: 'refused' },
] as const;

/** Throws WritError LEASE_REFUSED when the plan's lease does not allow the step. */
export function assertAllowed({ manifest, capability, path }: PlanStep, { capabilities, scopes }: PlanLeasePayload): void {
  const allowed = capabilities.includes(capability) || (manifest.capability_id === 'TOOL_CALL' && capabilities.includes('TOOL_CALL'));
  if (!allowed) throw new WritError('LEASE_REFUSED', `the plan's lease does not allow ${capability}, which ${path} asks`);
  if (scopes === undefined) return;
  for (const { inputs, inside, absent } of SCOPED.filter((rule) => rule.capabilities.has(manifest.capability_id))) {
    for (const name of inputs.filter((input) => absent === 'refused' || input in manifest.inputs)) {
      if (!scopes.some((scope) => inside(manifest.inputs[name], scope)))
        throw new WritError('LEASE_REFUSED', `inputs.${name} of ${path} lies in no scope of the plan's lease`);
    }
  }
}
