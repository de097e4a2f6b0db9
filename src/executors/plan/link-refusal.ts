import { WritError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { envelopeProblems } from './problems.ts';

/** Why an envelope could not be linked. The core's code stays readable: plans that cannot be linked fail with it on every surface. */
export function linkRefusal({ code, message, details }: { readonly code: string; readonly message: string; readonly details: JsonObject }): WritError {
  const problems = envelopeProblems(details);
  const [first] = problems;
  if (first !== undefined) return new WritError('INVALID_MANIFEST', `${first.message} (${code})`, { field: first.field, problems });
  const more = Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details).slice(0, 500)}`;
  // Linked on a host, it says more than to the pure core.
  const about = code === 'REGISTRY_EMPTY' ? 'neither the envelope nor the registries of this host define what its steps name' : message;
  return new WritError('INVALID_MANIFEST', `${code}: ${about}${more}`, { field: 'envelope' });
}
