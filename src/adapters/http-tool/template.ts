import { WritError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** A text with placeholders, read once when the binding is loaded. What fills a placeholder is never read again as a template. */
export type Template = readonly Part[];

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'param'; readonly path: readonly string[]; readonly optional: boolean }
  | { readonly kind: 'secret'; readonly name: string }
  | { readonly kind: 'task' };

/** What fills placeholders. */
export interface TemplateValues {
  readonly params: JsonObject;
  readonly taskId: string;
  readonly secrets: ReadonlyMap<string, string>;
}

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;
const PARAM = /^params((?:\.[A-Za-z0-9_-]{1,128})*)(\?)?$/;
const SECRET = /^secrets\.([a-z][a-z0-9_]{0,63})$/;

/**
 * Reads `text {{params.a.b}} {{params.c?}} {{secrets.name}} {{task_id}}`.
 *
 * @param field where the template stands, for the error
 * @throws WritError INVALID_CONFIG for a placeholder of another form or a secret that the binding does not name
 */
export function parseTemplate(text: string, secrets: ReadonlySet<string>, field: string): Template {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    parts.push(placeholder(match[1] ?? '', secrets, field));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  for (const part of parts) {
    if (part.kind === 'text' && /\{\{|\}\}/.test(part.text)) throw new WritError('INVALID_CONFIG', `${field} has a placeholder that is not closed`, { field });
  }
  return parts;
}

function placeholder(text: string, secrets: ReadonlySet<string>, field: string): Part {
  if (text === 'task_id') return { kind: 'task' };
  const param = PARAM.exec(text);
  if (param) return { kind: 'param', path: (param[1] ?? '').split('.').slice(1), optional: param[2] !== undefined };
  const name = SECRET.exec(text)?.[1];
  if (name === undefined) throw new WritError('INVALID_CONFIG', `${field}: a placeholder is {{params.<name>}}, {{secrets.<name>}} or {{task_id}}`, { field });
  if (!secrets.has(name)) throw new WritError('INVALID_CONFIG', `${field} uses the secret ${name}, which the binding does not name`, { field });
  return { kind: 'secret', name };
}

export function secretsOf(template: Template): readonly string[] {
  return template.flatMap((part) => (part.kind === 'secret' ? [part.name] : []));
}

export function hasParams(template: Template): boolean {
  return paramsIn(template) !== undefined;
}

/**
 * A value that does not fit where the binding puts it.
 *
 * @param field the parameter that it is or is made of; `undefined`: there is none, only a secret
 */
export function misfit(message: string, field: string | undefined): WritError {
  return new WritError('INVALID_ARGUMENT', message, field === undefined ? {} : { field });
}

/** The parameters of a template, as their caller knows them; `undefined` where it has none. */
export function paramsIn(template: Template): string | undefined {
  const names = template.flatMap((part) => (part.kind === 'param' ? [nameOf(part.path)] : []));
  return names.length === 0 ? undefined : [...new Set(names)].join(' or ');
}

/**
 * The text with everything filled in; `undefined` when an optional parameter is absent.
 *
 * @throws WritError INVALID_ARGUMENT with `field` when a parameter is missing, or is no string, number or boolean
 */
export function fillText(template: Template, filling: TemplateValues): string | undefined {
  const texts: string[] = [];
  for (const part of template) {
    const text = partText(part, filling);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts.join('');
}

function partText(part: Part, filling: TemplateValues): string | undefined {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'task':
      return filling.taskId;
    case 'secret':
      return secretOf(part.name, filling);
    case 'param': {
      const value = param(part.path, part.optional, filling);
      if (value === undefined) return undefined;
      if (typeof value === 'object') throw misfit('must be a string, a number or a boolean', nameOf(part.path));
      return String(value);
    }
  }
}

/** A template that is one parameter and nothing else stands for the whole value; `undefined` when that is optional and absent. */
export function fillValue(template: Template, filling: TemplateValues): Json | undefined {
  const [only] = template;
  if (template.length === 1 && only?.kind === 'param') return param(only.path, only.optional, filling);
  return fillText(template, filling);
}

function param(path: readonly string[], optional: boolean, { params }: TemplateValues): Json | undefined {
  let value: Json = params;
  for (const key of path) {
    const next = member(value, key);
    if (next === undefined) {
      if (optional) return undefined;
      throw misfit('is required by the binding of the tool', nameOf(path));
    }
    value = next;
  }
  return value;
}

/** An own member of an object or an array. */
export function member(value: Json, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return /^(0|[1-9]\d{0,8})$/.test(key) ? value[Number(key)] : undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function secretOf(name: string, { secrets }: TemplateValues): string {
  const secret = secrets.get(name);
  if (secret === undefined) throw new WritError('INTERNAL', 'a secret that a request needs was not read');
  return secret;
}

function nameOf(path: readonly string[]): string {
  return ['inputs.params', ...path].join('.');
}
