import type { Json, JsonObject } from '../../core/json.ts';
import { isForbiddenKey } from './json-copy.ts';

/** What expressions can see. */
export interface Roots {
  /** For a look at members: itself and its `state` are written into later. */
  readonly memory: JsonObject;
  /** The memory of now, for whoever keeps it. */
  readonly kept: () => JsonObject;
  readonly input: JsonObject;
  readonly context: JsonObject;
}

type Root = Exclude<keyof Roots, 'kept'>;

/** A dotted path: `memory.state.files.0.name`. */
export interface Path {
  readonly root: Root;
  readonly keys: readonly string[];
}

const ROOTS: ReadonlySet<string> = new Set<Root>(['memory', 'input', 'context']);
const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;
/** White space, operators, brackets and quotes: what has one of them is an expression that somebody hoped for, not the name of a key. */
const EXPRESSION = /[\s!"%&'()*+,/;<=>?[\\\]^`{|}~]/u;

/** @returns `undefined` when the text is no path; a path has names and indexes, and no expression */
export function parsePath(text: string): Path | undefined {
  const [root = '', ...keys] = text.split('.');
  return isRoot(root) && keys.every((key) => isKey(key) && !EXPRESSION.test(key)) ? { root, keys } : undefined;
}

function isRoot(word: string): word is Root {
  return ROOTS.has(word);
}

/** Whether one part of a dotted path may be a key. */
export function isKey(part: string): boolean {
  return part !== '' && !isForbiddenKey(part);
}

/** The value at a path, which may be kept. */
export function readPath({ root, keys }: Path, roots: Roots): Json | undefined {
  let value: Json | undefined = root === 'memory' && keys.length < 2 ? roots.kept() : roots[root];
  for (const key of keys) {
    value = member(value, key);
    if (value === undefined) return undefined;
  }
  return value;
}

/** An own member of an object, or an item of an array by its decimal index. */
export function member(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return INDEX.test(key) ? value[Number(key)] : undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
