import type { Json, JsonObject } from '../../core/json.ts';
import { type Failure, failure } from './codes.ts';
import type { ReadyStep } from './compile-step.ts';
import { LIMITS } from './limits.ts';
import type { Operation } from './link.ts';

/** Operations that take any parameters. */
const UNCHECKED_OPERATIONS: ReadonlySet<string> = new Set(['sampleFetch']);

type Operations = ReadonlyMap<string, Operation>;

/** Why a tool cannot be called like this: its definition has no such operation, or the operation no such parameters. */
export function callProblem(operation: Json | undefined, operations: Operations, params: JsonObject): Failure | undefined {
  if (typeof operation !== 'string') return failure('INVALID_TOOL_DEF');
  const known = operations.get(operation);
  if (known === undefined) return failure('UNKNOWN_OPERATION', { operation: operation.slice(0, 128) });
  if (UNCHECKED_OPERATIONS.has(operation)) return undefined;
  const unexpected = Object.keys(params).filter((key) => key !== 'action' && !known.input.has(key));
  return unexpected.length === 0 ? undefined : failure('PARAMS_MISMATCH', { unexpected: unexpected.slice(0, LIMITS.problems) });
}

/** An action that a template chooses is only known when it is bound. */
export function isChosenLater({ operation, params: { action }, template }: ReadyStep): boolean {
  return operation === undefined && template !== undefined && typeof action === 'string' && action.includes('{{');
}

/** The same before the step runs: templates give values and no names, so that all but the choice of an operation is known. */
export function foreseenProblem(step: ReadyStep, operations: Operations): Failure | undefined {
  return isChosenLater(step) ? undefined : callProblem(step.operation ?? step.params['action'], operations, step.params);
}
