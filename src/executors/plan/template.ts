import { canonicalJson } from '../../core/canonical-json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type BadField, below, noExpression } from './bad-field.ts';
import { type Failure, failure } from './codes.ts';
import { LIMITS } from './limits.ts';
import { type Meter, measure } from './measure.ts';
import { type Path, parsePath, type Roots, readPath } from './paths.ts';

/** What is bound when a step is reached; `undefined` for a value without templates, which stays as it is. */
export type Template = (binding: Binding) => Json | undefined;

/** State of one binding. `failed` is set by the part that could not be bound; the value is then of no use. */
interface Binding {
  readonly roots: Roots;
  bytes: number;
  failed: Failure | undefined;
}

/** `undefined`: no templates inside. A field, below the value: what begins there like a template is none. */
export function compileTemplate(value: Json): Template | undefined | BadField {
  if (typeof value === 'string') return compileText(value);
  if (typeof value !== 'object' || value === null) return undefined;
  return compileContainer(value);
}

function compileContainer(value: Json[] | JsonObject): Template | undefined | BadField {
  const parts: [string, Template][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const part = compileTemplate(inner);
    if (typeof part === 'object') return below([key], part);
    if (part !== undefined) parts.push([key, part]);
  }
  if (parts.length === 0) return undefined;
  return (binding) => {
    const bound: Json[] | JsonObject = Array.isArray(value) ? [...value] : { ...value };
    for (const [key, part] of parts) Reflect.set(bound, key, part(binding) ?? null);
    return Object.freeze(bound) as Json;
  };
}

const PART = /\{\{([^{}]*)\}\}/g;

/** `{{path}}` alone (also `={{path}}`) is the value itself; inside of other text it becomes text. */
function compileText(text: string): Template | undefined | BadField {
  if (!text.includes('{{')) return undefined;
  const whole = /^=?\{\{([^{}]*)\}\}$/.exec(text)?.[1];
  if (whole !== undefined) {
    const path = parsePath(whole.trim());
    return path === undefined ? noExpression([]) : (binding) => valueAt(path, binding);
  }
  const literals = text.split(PART).filter((_, index) => index % 2 === 0);
  const paths = [...text.matchAll(PART)].map(([, path = '']) => parsePath(path.trim()));
  const found = paths.filter((path) => path !== undefined);
  if (found.length < paths.length || literals.some((literal) => literal.includes('{{'))) return noExpression([]);
  return (binding) => literals.map((literal, index) => literal + textAt(found[index], binding)).join('');
}

function valueAt(path: Path, binding: Binding): Json | undefined {
  if (binding.failed !== undefined) return undefined;
  const value = readPath(path, binding.roots);
  if (value === undefined) {
    binding.failed = failure('UNRESOLVED_REFERENCE', { reference: [path.root, ...path.keys].join('.') });
    return undefined;
  }
  binding.bytes += measure(value).bytes;
  if (binding.bytes > LIMITS.params.bytes) binding.failed = failure('MAX_SIZE_EXCEEDED', { what: 'params', limit: LIMITS.params.bytes });
  return value;
}

function textAt(path: Path | undefined, binding: Binding): string {
  const value = path && valueAt(path, binding);
  if (value === undefined) return '';
  return typeof value === 'string' ? value : canonicalJson(value);
}

/** Fills a step's parameters in the scope that the step stands in. Single pass: what was filled in is not looked at again. */
export function bindTemplate(params: JsonObject, template: Template | undefined, roots: Roots, meter: Meter): JsonObject | Failure {
  if (template === undefined) return params;
  const binding: Binding = { roots, bytes: 0, failed: undefined };
  // A template of an object binds to an object.
  const bound = template(binding) as JsonObject;
  meter.left -= binding.bytes;
  if (binding.failed !== undefined) return binding.failed;
  if (meter.left < 0) return failure('MAX_WORK_EXCEEDED');
  const { bytes, levels } = measure(bound);
  if (bytes > LIMITS.params.bytes) return failure('MAX_SIZE_EXCEEDED', { what: 'params', limit: LIMITS.params.bytes });
  if (levels > LIMITS.params.levels) return failure('MAX_SIZE_EXCEEDED', { what: 'levels of params', limit: LIMITS.params.levels });
  return bound;
}
