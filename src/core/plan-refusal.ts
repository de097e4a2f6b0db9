import type { RegistryCategory } from '../contracts/index.ts';
import { type FieldProblem, WritError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { nearestWord } from './nearest-word.ts';

/** Why the plan core did not link an envelope. */
export interface LinkFault {
  readonly code: string;
  readonly message: string;
  readonly details: JsonObject;
}

/** The names of a category. */
type Refs = (category: RegistryCategory) => readonly string[];

/** Names under which somebody would look for a tool that runs a plan for each item of a list. */
const STARTS_PLANS: ReadonlySet<unknown> = new Set(['writ.plan', 'writ.plans', 'writ.fan_out', 'writ.fan-out']);

/**
 * Why an envelope could not be linked. The core's code stays readable: plans that cannot be linked fail with it on every surface.
 * What the core need not know is said here: what this host lacks, and what plans are refused on purpose.
 *
 * @param problems what is wrong with the document by its fields, if that is the reason
 * @param refs the definitions of this host
 */
export function planRefusal({ code, message, details }: LinkFault, problems: readonly FieldProblem[], refs: Refs = () => []): WritError {
  const [first] = problems;
  if (first !== undefined) return new WritError('INVALID_MANIFEST', `${first.message} (${code})`, { field: first.field, problems });
  const { at, ...about } = details;
  const field = typeof at === 'string' ? at : 'envelope';
  if (code === 'UNKNOWN_REF' && STARTS_PLANS.has(about['ref'])) {
    const why = 'a plan starts no other plans: for_each runs a step for each item of a list, one after the other (docs/plans.md)';
    return new WritError('INVALID_MANIFEST', `FAN_OUT_REFUSED: ${why}`, { field });
  }
  const more = Object.keys(about).length === 0 ? '' : ` ${JSON.stringify(about).slice(0, 500)}`;
  // Linked on a host, it says more than to the pure core.
  const what = code === 'REGISTRY_EMPTY' ? 'neither the envelope nor the registries of this host define what its steps name' : message;
  return new WritError('INVALID_MANIFEST', `${code}: ${what}${more}${code === 'UNKNOWN_REF' ? otherWord(about, refs) : ''}`, { field });
}

const CATEGORIES = { tool: 'tools', capability: 'capabilities', usecase: 'usecases' } as const satisfies Record<string, RegistryCategory>;

/** What a name that nothing has may have been meant to be. */
function otherWord({ type, ref }: JsonObject, refs: Refs): string {
  if (typeof ref !== 'string') return '';
  const is = Object.entries(CATEGORIES).find(([, category]) => refs(category).includes(ref))?.[0];
  if (is !== undefined) return `; a ${is} has this name`;
  const category = Object.entries(CATEGORIES).find(([name]) => name === type)?.[1];
  const meant = category && nearestWord(ref, refs(category));
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}
