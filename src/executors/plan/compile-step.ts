import type { CodeHandling, FallbackStep, Retry, Step, StepType } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { type BadField, below, noExpression } from './bad-field.ts';
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
  readonly onError: Handling;
  /** What becomes of errors of single codes, in place of `onError`. */
  readonly byCode: ReadonlyMap<string, Handling>;
  readonly retry: Retry | undefined;
  readonly timeoutMs: number | undefined;
  readonly forEach: { readonly list: Path; readonly as: string } | undefined;
}

export interface Handling {
  readonly mode: 'stop' | 'continue' | 'fallback';
  readonly fallback: ReadyStep | undefined;
}

/** The steps that may stand in for this one. */
export function fallbacksOf(step: ReadyStep): readonly ReadyStep[] {
  return placedFallbacksOf(step).map(([, fallback]) => fallback);
}

/** The same with their places below the step. */
export function placedFallbacksOf({ onError, byCode }: ReadyStep): readonly (readonly [place: string, fallback: ReadyStep])[] {
  const handled = [['on_error', onError] as const, ...[...byCode].map(([code, one]) => [`on_error.by_code.${code}`, one] as const)];
  return handled.flatMap(([place, { fallback }]) => (fallback === undefined ? [] : [[`${place}.fallback`, fallback] as const]));
}

/** @param templated whether `{{…}}` in the parameters is to be filled in: in bodies of definitions, elsewhere only on request */
export function compileStep(step: Step, templated: boolean): ReadyStep | BadField {
  const when = step.when === undefined ? undefined : compileWhen(step.when);
  if (typeof when === 'object') return below(['when'], when);
  const save = step.save && compileSave(step.save.to);
  if (save !== undefined && 'path' in save) return below(['save', 'to'], save);
  const forEach = step.for_each && compileForEach(step.for_each);
  if (forEach !== undefined && 'path' in forEach) return below(['for_each'], forEach);
  const misplaced = step.type === 'tool' ? undefined : (['retry', 'timeout_ms'] as const).find((field) => step[field] !== undefined);
  if (misplaced !== undefined) return { path: [misplaced], message: 'belongs to the call of a tool, not to a group' };
  const onError = compileHandling(step.on_error ?? STOP, templated);
  if ('path' in onError) return below(['on_error'], onError);
  const byCode = new Map<string, Handling>();
  for (const [code, one] of Object.entries(step.on_error?.by_code ?? {})) {
    const handling = compileHandling(one, templated);
    if ('path' in handling) return below(['on_error', 'by_code', code], handling);
    byCode.set(code, handling);
  }
  const plain = compilePlain(step, step.params as JsonObject, templated);
  return 'path' in plain ? plain : { ...plain, when, save, onError, byCode, forEach, retry: step.retry, timeoutMs: step.timeout_ms };
}

const STOP = { mode: 'stop' } as const;

function compileHandling({ mode, fallback }: CodeHandling, templated: boolean): Handling | BadField {
  if (mode !== 'fallback' || fallback === undefined) return { mode, fallback: undefined };
  const step = compilePlain(fallback, (fallback.params ?? NONE) as JsonObject, templated);
  return 'path' in step ? below(['fallback'], step) : { mode, fallback: step };
}

const NONE = Object.freeze({});

/** A step without policies. Parameters come from a copied envelope, so they are JSON. */
function compilePlain({ type, ref, operation }: FallbackStep, params: JsonObject, templated: boolean): ReadyStep | BadField {
  const template = templated ? compileTemplate(params) : undefined;
  if (typeof template === 'object') return below(['params'], template);
  return { type, ref, operation, params, template, ...WITHOUT_POLICIES };
}

const WITHOUT_POLICIES = {
  when: undefined,
  save: undefined,
  onError: { mode: 'stop', fallback: undefined },
  byCode: new Map<string, Handling>(),
  forEach: undefined,
  retry: undefined,
  timeoutMs: undefined,
} as const;

function compileForEach({ list, as = 'item' }: NonNullable<Step['for_each']>): NonNullable<ReadyStep['forEach']> | BadField {
  if (isForbiddenKey(as)) return { path: ['as'], message: 'is a reserved name' };
  const path = parsePath(list);
  if (path === undefined || path.keys.length === 0 || (path.root === 'memory' && path.keys[0] !== 'state')) return noExpression(['list']);
  return { list: path, as };
}
