import type { z } from 'zod';

export type Issue = z.core.$ZodIssue;

/** One thing that is wrong, where, and what the schema has there. */
export interface PlacedIssue {
  readonly issue: Issue;
  readonly path: readonly string[];
  readonly schema: unknown;
}

/** Keys by which the form of a value is told. */
const MAX_KEYS = 100;

/** What a type is called. */
export const TYPE_WORDS: ReadonlyMap<string, string> = new Map([
  ['int', 'a whole number'],
  ['number', 'a number'],
  ['string', 'a text'],
  ['boolean', 'true or false'],
  ['null', 'null'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

/**
 * All issues with their places. Where a value may have one of several forms, at any depth, a schema says of each why it is not
 * that one; what stays is what is wrong with the form that it was meant to have.
 */
export function placed(issues: readonly Issue[], schema: unknown, value: unknown, base: readonly string[] = []): readonly PlacedIssue[] {
  return issues.flatMap((issue) => {
    const inside = issue.path.map(String);
    const [path, at, found] = [[...base, ...inside], schemaAt(schema, inside, value), valueAt(value, inside)];
    const tag = inside.at(-1);
    // A discriminated union that knows no form of this name is at the name, and says nothing of the forms.
    if (issue.code === 'invalid_union' && issue.errors.length === 0 && tag !== undefined) {
      const forms = formsOf(schemaAt(schema, inside.slice(0, -1), value), []);
      return [{ issue: noSuchWord(forms.flatMap((form) => wordsOf(form.schema, tag))), path, schema: at }];
    }
    return issue.code === 'invalid_union' ? ofMeantForm({ issue, path, schema: at }, issue, found) : [{ issue, path, schema: formFor(at, found) }];
  });
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined;
  return at;
}

/** The keys of an object that a schema has; none where it is no plain object. */
export function keysOf(schema: unknown): readonly string[] {
  return Object.keys(Object(shapeOf(schema)));
}

interface Form {
  readonly schema: unknown;
  readonly issues: readonly Issue[];
}

function ofMeantForm(place: PlacedIssue, issue: z.core.$ZodIssueInvalidUnion, value: unknown): readonly PlacedIssue[] {
  const forms = formsOf(place.schema, issue.errors);
  const tag = tagOf(forms);
  const named = tag === undefined || !isObject(value) ? forms : forms.filter(({ schema }) => wordsOf(schema, tag).includes(value[tag]));
  if (tag !== undefined && named.length === 0)
    return [{ ...place, path: [...place.path, tag], issue: noSuchWord(forms.flatMap(({ schema }) => wordsOf(schema, tag))) }];
  const typed = named.filter(({ issues }) => !isOtherType(issues));
  const [meant] = typed.toSorted((a, b) => strangersIn(a.issues) - strangersIn(b.issues) || a.issues.length - b.issues.length);
  if (meant !== undefined) return placed(meant.issues, meant.schema, value, place.path);
  const types = new Set(named.flatMap(({ issues }) => issues.flatMap((one) => (one.code === 'invalid_type' ? (TYPE_WORDS.get(one.expected) ?? []) : []))));
  const message = `must be ${[...types].join(' or ')}`;
  return types.size === 0 ? [place] : [{ ...place, issue: { code: 'custom', path: [], message, input: value } }];
}

/** Forms that are unions themselves are opened. */
function formsOf(union: unknown, errors: readonly (readonly Issue[])[]): readonly Form[] {
  return optionsOf(union).flatMap((option, at): readonly Form[] => {
    const schema = bare(option);
    const issues = errors[at] ?? [];
    const [first] = issues;
    return first?.code === 'invalid_union' && first.path.length === 0 ? formsOf(schema, first.errors) : [{ schema, issues }];
  });
}

/** The key by whose word each form is told from others, as `op` is. */
function tagOf(forms: readonly Form[]): string | undefined {
  const [first] = forms;
  return keysOf(first?.schema).find((key) => forms.every(({ schema }) => wordsOf(schema, key).length > 0));
}

function wordsOf(form: unknown, key: string): readonly unknown[] {
  const field: unknown = bare(Reflect.get(Object(shapeOf(form)), key));
  if (typeof field !== 'object' || field === null) return [];
  const words: unknown = Reflect.get(field, 'values') ?? Reflect.get(field, 'options');
  return words instanceof Set || Array.isArray(words) ? [...(words as Iterable<unknown>)] : [];
}

function noSuchWord(words: readonly unknown[]): Issue {
  const message = 'Invalid option';
  return { code: 'invalid_value', path: [], message, values: [...new Set(words)].map(String), input: undefined };
}

function isOtherType(issues: readonly Issue[]): boolean {
  return issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0);
}

function strangersIn(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0), 0);
}

/** What a schema has at a path of a value: the value tells which of several forms is gone through. */
function schemaAt(schema: unknown, path: readonly string[], value: unknown): unknown {
  let at = bare(schema);
  for (const [depth, key] of path.entries()) at = bare(childOf(formFor(at, valueAt(value, path.slice(0, depth))), key));
  return at;
}

function childOf(schema: unknown, key: string): unknown {
  if (typeof schema !== 'object' || schema === null) return undefined;
  return Reflect.get(Object(shapeOf(schema)), key) ?? Reflect.get(schema, 'element') ?? Reflect.get(schema, 'valueType');
}

/** The form that a value was meant to have: by its tag, else the one that knows most of its keys. */
function formFor(schema: unknown, value: unknown): unknown {
  const forms = formsOf(schema, []);
  if (forms.length === 0 || !isObject(value)) return schema;
  const tag = tagOf(forms);
  if (tag !== undefined) return forms.find((form) => wordsOf(form.schema, tag).includes(value[tag]))?.schema;
  const keys = Object.keys(value).slice(0, MAX_KEYS);
  const unknownTo = (form: Form): number => keys.filter((key) => !keysOf(form.schema).includes(key)).length;
  return forms.toSorted((one, other) => unknownTo(one) - unknownTo(other))[0]?.schema;
}

/** An enumeration has words and no forms. */
function optionsOf(schema: unknown): readonly unknown[] {
  const options: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'options') : undefined;
  return Array.isArray(options) ? options.filter((option) => typeof option === 'object') : [];
}

function shapeOf(schema: unknown): unknown {
  return typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'shape') : undefined;
}

/** The schema inside of `optional()`, `default()` and their like; a list has an inside too, and is none of them. */
function bare(schema: unknown): unknown {
  let at = schema;
  while (isObject(at) && typeof at['unwrap'] === 'function' && !('shape' in at) && !('element' in at)) at = at['unwrap']();
  return at;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
