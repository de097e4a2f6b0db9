/** A JSON Schema as z.toJSONSchema writes it: draft 2020-12, references only to `$defs` of the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Words that decide about no value. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['$id', '$schema', '$defs', 'title', 'description', 'examples', 'default', 'deprecated']);

/** Bounds: 1, where a higher one allows more; -1, where a lower one does. */
const BOUNDS: Readonly<Record<string, 1 | -1>> = {
  maximum: 1,
  exclusiveMaximum: 1,
  maxLength: 1,
  maxItems: 1,
  maxProperties: 1,
  minimum: -1,
  exclusiveMinimum: -1,
  minLength: -1,
  minItems: -1,
  minProperties: -1,
};

/** Words that are compared as one with others, below. */
const TOGETHER: ReadonlySet<string> = new Set([
  'type',
  'const',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'anyOf',
  'oneOf',
  ...Object.keys(BOUNDS),
]);

/**
 * Why a value that `before` allows may be refused by `after`, one line for each place; empty when none is. Whatever is not
 * understood counts as a reason, so an empty answer can be relied on.
 */
export function narrowing(before: Schema, after: Schema): readonly string[] {
  const own = narrowingAt('', before, after);
  const [defs, later] = [schemasOf(before['$defs']), schemasOf(after['$defs'])];
  // A reference of both is to the same name, so what it names is compared once.
  return [...own, ...Object.entries(defs).flatMap(([name, schema]) => narrowingAt(`$defs/${name}`, schema, later[name] ?? NOTHING))];
}

const NOTHING: Schema = { not: {} };

function narrowingAt(at: string, before: Schema, after: Schema): readonly string[] {
  if (same(before, after) || same(before, NOTHING)) return [];
  const branches = choicesOf(before);
  const later = choicesOf(after);
  if (branches !== undefined || later !== undefined)
    return [...besideChoices(at, before, after), ...betweenChoices(at, branches ?? [before], later ?? [after])];
  return [
    ...values(at, before, after),
    ...Object.entries(BOUNDS).flatMap(([word, sign]) => (isTighter(before[word], after[word], sign) ? [`${at}: ${word} is ${String(after[word])}`] : [])),
    ...members(at, before, after),
    ...Object.keys(after).flatMap((word) => other(at, word, before, after)),
  ];
}

/** The branches of a choice. Those of `oneOf` are told apart by a constant, so no value fits two of them. */
function choicesOf(schema: Schema): readonly Schema[] | undefined {
  return (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
}

/** What else is asked of a choice as a whole. */
function besideChoices(at: string, before: Schema, after: Schema): readonly string[] {
  if (choicesOf(after) === undefined) return [];
  const changed = Object.keys(after).filter((word) => !CHOICES.has(word) && !ANNOTATIONS.has(word) && !same(before[word], after[word]));
  return changed.map((word) => `${at}: ${word} has changed`);
}

const CHOICES: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);

/** Each earlier branch must go into a later one as a whole. */
function betweenChoices(at: string, before: readonly Schema[], after: readonly Schema[]): readonly string[] {
  return before.flatMap((branch, number) =>
    after.some((later) => narrowingAt(at, branch, later).length === 0) ? [] : [`${at}: choice ${number + 1} is not allowed any more`],
  );
}

/** Types and enumerated values. */
function values(at: string, before: Schema, after: Schema): readonly string[] {
  const [earlier, later] = [enumerated(before), enumerated(after)];
  if (later !== undefined && !(earlier?.every((value) => later.some((allowed) => same(value, allowed))) ?? false)) return [`${at}: fewer values are allowed`];
  const [types, allowed] = [typesOf(before), typesOf(after)];
  const fits = allowed === undefined || types?.every((type) => allowed.includes(type) || (type === 'integer' && allowed.includes('number'))) === true;
  return fits ? [] : [`${at}: its type is ${String(allowed)}`];
}

/** A schema may name one type or several. */
function typesOf({ type }: Schema): readonly unknown[] | undefined {
  return type === undefined || Array.isArray(type) ? type : [type];
}

function enumerated(schema: Schema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema['const']] : (schema['enum'] as readonly unknown[] | undefined);
}

function isTighter(before: unknown, after: unknown, sign: 1 | -1): boolean {
  return typeof after === 'number' && !(typeof before === 'number' && (after - before) * sign >= 0);
}

/** Members of objects: what must be there, what each may be, and what others may be. */
function members(at: string, before: Schema, after: Schema): readonly string[] {
  const [earlier, later] = [schemasOf(before['properties']), schemasOf(after['properties'])];
  const [had, must] = [before['required'] ?? [], after['required'] ?? []] as [readonly string[], readonly string[]];
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return [
    ...must.filter((name) => !had.includes(name)).map((name) => `${at}/${name}: is required`),
    ...[...names].flatMap((name) => narrowingAt(`${at}/${name}`, earlier[name] ?? othersOf(before), later[name] ?? othersOf(after))),
    ...narrowingAt(`${at}/*`, othersOf(before), othersOf(after)),
  ];
}

function othersOf(schema: Schema): Schema {
  const others = schema['additionalProperties'];
  if (others === false) return NOTHING;
  return isSchema(others) ? others : {};
}

/** A word that is understood only where it stays as it was, or where schemas lie below it. */
function other(at: string, word: string, before: Schema, after: Schema): readonly string[] {
  if (ANNOTATIONS.has(word) || TOGETHER.has(word) || same(before[word], after[word])) return [];
  const [earlier, later] = [before[word], after[word]];
  const isBelow = (word === 'items' || word === 'propertyNames') && isSchema(later);
  return isBelow ? narrowingAt(`${at}/${word}`, isSchema(earlier) ? earlier : {}, later) : [`${at}: ${word} has changed`];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemasOf(value: unknown): Readonly<Record<string, Schema>> {
  return (value ?? {}) as Readonly<Record<string, Schema>>;
}

/** Whether two are equal but for annotations. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(bare(a)) === JSON.stringify(bare(b));
}

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isSchema(value)) return value;
  const entries = Object.entries(value).filter(([word, found]) => !(ANNOTATIONS.has(word) && typeof found !== 'object'));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, found]) => [word, bare(found)]));
}
