import { compareCodePoints } from '../../core/code-points.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type BadField, noExpression } from './bad-field.ts';
import { type Failure, failure } from './codes.ts';
import { isForbiddenKey } from './json-copy.ts';
import { LIMITS } from './limits.ts';
import { type Meter, measure, measureCopy } from './measure.ts';
import { membersAt, type StateMoment, withMember } from './memory-state.ts';
import { isKey, member } from './paths.ts';

/** Where `for_each` puts its items: `memory.state._locals`. */
export const LOCALS = '_locals';

type Source = { readonly literal: string } | { readonly keys: readonly (string | number)[] };

interface Write {
  readonly to: string;
  readonly keys: readonly string[];
  readonly source: Source;
}

/** Writes in the order of their destinations, so that the order of keys in the envelope does not matter. */
export type Save = readonly Write[];

/** @returns the destination at fault, or the one whose source is */
export function compileSave(to: Readonly<Record<string, string>>): Save | BadField {
  const writes: Write[] = [];
  for (const [destination, from] of Object.entries(to)) {
    const keys = parseDestination(destination);
    const source = parseSource(from);
    if (keys === undefined) return { path: [destination], message: 'is no place in the memory of a plan' };
    if (source === undefined) return noExpression([destination]);
    writes.push({ to: keys.join('.'), keys, source });
  }
  writes.sort((a, b) => compareCodePoints(a.to, b.to));
  const twice = writes.find(({ to: name }, index) => name === writes[index + 1]?.to);
  return twice === undefined ? writes : { path: [twice.to], message: 'is written twice' };
}

const MAX_KEYS = 16;

function parseDestination(text: string): readonly string[] | undefined {
  const keys = text.replace(/^memory\.state\./, '').split('.');
  return keys.length <= MAX_KEYS && keys.every(isKey) && keys[0] !== LOCALS ? keys : undefined;
}

const NAME = String.raw`\.([A-Za-z_$\u0080-\u{10ffff}][A-Za-z0-9_$\u0080-\u{10ffff}-]*)`;
const QUOTED = String.raw`\[("(?:[^"\\]|\\.)*")\]`;
const INDEX = String.raw`\[(0|[1-9][0-9]{0,8})\]`;
const PART = new RegExp(`${NAME}|${QUOTED}|${INDEX}`, 'uy');

/** `$`, `$.data.id`, `$["data"]`, `$.data.items[0]`, or `lit:` and text. */
function parseSource(text: string): Source | undefined {
  if (text.startsWith('lit:')) return { literal: text.slice('lit:'.length) };
  if (!text.startsWith('$')) return undefined;
  const keys: (string | number)[] = [];
  PART.lastIndex = 1;
  while (PART.lastIndex < text.length) {
    const [, name, quoted, index] = PART.exec(text) ?? [];
    const key = index === undefined ? (name ?? unquote(quoted)) : Number(index);
    if (key === undefined || isForbiddenKey(String(key))) return undefined;
    keys.push(key);
  }
  return { keys };
}

function unquote(text: string | undefined): string | undefined {
  try {
    return String(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}

/**
 * Reads all values from the result, then writes all of them: either every destination is written or none.
 *
 * @param result the ToolResult; `undefined` when the group has run no tool
 * @returns the new `memory.state`
 */
export function applySave(save: Save, result: JsonObject | undefined, state: StateMoment, meter: Meter): StateMoment | Failure {
  const values: Json[] = [];
  for (const { to, source } of save) {
    const value = 'literal' in source ? source.literal : valueAt(source.keys, result);
    if (value === undefined) return failure('SAVE_PATH_NOT_FOUND', { to });
    values.push(value);
  }
  let written = state;
  for (const [at, { to, keys }] of save.entries()) {
    const [key = '', ...rest] = keys;
    const value = put(member(membersAt(written), key), rest, values[at] ?? null, meter);
    if (value === undefined) return failure('SAVE_CONFLICT', { to });
    written = withMember(written, key, value);
    meter.left -= 16 * measure(membersAt(written)).count;
    if (meter.left < 0) return failure('MAX_WORK_EXCEEDED');
  }
  const { bytes, levels } = measure(membersAt(written));
  meter.left -= 64;
  if (bytes > LIMITS.memory.bytes) return failure('MAX_SIZE_EXCEEDED', { what: 'memory', limit: LIMITS.memory.bytes });
  if (levels > LIMITS.memory.levels) return failure('MAX_SIZE_EXCEEDED', { what: 'levels of memory', limit: LIMITS.memory.levels });
  return written;
}

function valueAt(keys: readonly (string | number)[], result: JsonObject | undefined): Json | undefined {
  let value: Json | undefined = result;
  for (const key of keys) {
    // A name reads members of objects, a number items of arrays.
    if (Array.isArray(value) !== (typeof key === 'number')) return undefined;
    value = member(value, String(key));
  }
  return value;
}

const NOTHING: JsonObject = Object.freeze({});

/** A copy with one place replaced; `undefined` when something is in the way. Objects are created, places in arrays are not. */
function put(target: Json | undefined, keys: readonly string[], value: Json, meter: Meter): Json | undefined {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (target !== undefined && (typeof target !== 'object' || target === null)) return undefined;
  const before = member(target, key);
  if (Array.isArray(target) && before === undefined) return undefined;
  const inner = put(before, rest, value, meter);
  if (inner === undefined) return undefined;
  const copy: Json[] | JsonObject = Array.isArray(target) ? [...target] : { ...target };
  Reflect.set(copy, key, inner);
  measureCopy(target ?? NOTHING, copy, key, before, inner);
  meter.left -= 16 * measure(copy).count;
  return Object.freeze(copy) as Json;
}
