import type { FallbackStep, Step, StepType } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { isForbiddenKey } from './json-copy.ts';
import { type Path, parsePath } from './paths.ts';
import { compileSave, type Save } from './save.ts';
import { compileTemplate, type Template } from './template.ts';
import { type Condition, compileWhen } from './when.ts';

/** A step with its expressions read: whatever can be wrong with it before it runs has been found. */
export interface ReadyStep {
  readonly type: StepType;
  readonly ref: string;
  readonly operation: string | undefined;
  readonly params: JsonObject;
  readonly template: Template | undefined;
  readonly when: Condition | undefined;
  readonly save: Save | undefined;
  readonly mode: 'stop' | 'continue' | 'fallback';
  readonly fallback: ReadyStep | undefined;
  readonly forEach: { readonly list: Path; readonly as: string } | undefined;
}

/** The field at fault, below the step. */
export interface BadField {
  readonly field: string;
}

/** @param templated whether `{{…}}` in the parameters is to be filled in: in bodies of definitions, elsewhere only on request */
export function compileStep(step: Step, templated: boolean): ReadyStep | BadField {
  const when = step.when === undefined ? undefined : compileWhen(step.when);
  if (step.when !== undefined && when === undefined) return { field: 'when' };
  const save = step.save && compileSave(step.save.to);
  if (save !== undefined && 'wrong' in save) return { field: 'save.to' };
  const forEach = step.for_each && compileForEach(step.for_each);
  if (step.for_each !== undefined && forEach === undefined) return { field: 'for_each' };
  const mode = step.on_error?.mode ?? 'stop';
  const fallback = mode === 'fallback' && step.on_error?.fallback ? compileFallback(step.on_error.fallback, templated) : undefined;
  if (fallback !== undefined && 'field' in fallback) return { field: `on_error.fallback.${fallback.field}` };
  const plain = compilePlain(step, step.params as JsonObject, templated);
  return 'field' in plain ? plain : { ...plain, when, save, mode, fallback, forEach };
}

function compileFallback(step: FallbackStep, templated: boolean): ReadyStep | BadField {
  return compilePlain(step, (step.params ?? NONE) as JsonObject, templated);
}

const NONE = Object.freeze({});

/** A step without policies. Parameters come from a copied envelope, so they are JSON. */
function compilePlain({ type, ref, operation }: FallbackStep, params: JsonObject, templated: boolean): ReadyStep | BadField {
  const template = templated ? compileTemplate(params) : undefined;
  if (template === false) return { field: 'params' };
  return { type, ref, operation, params, template, when: undefined, save: undefined, mode: 'stop', fallback: undefined, forEach: undefined };
}

function compileForEach({ list, as = 'item' }: NonNullable<Step['for_each']>): ReadyStep['forEach'] {
  const path = parsePath(list);
  if (path === undefined || path.keys.length === 0 || isForbiddenKey(as)) return undefined;
  return path.root !== 'memory' || path.keys[0] === 'state' ? { list: path, as } : undefined;
}
