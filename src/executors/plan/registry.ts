import { CapabilityDefinition, type RegistryCategory, type Step, type StepType, ToolDefinition, UsecaseDefinition } from '../../contracts/index.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Result } from '../../core/result.ts';
import { Failure, failure, type Problem } from './codes.ts';
import { copyJson, isObject } from './json-copy.ts';
import { LIMITS } from './limits.ts';
import { member } from './paths.ts';
import { listed, validate } from './problems.ts';

/** The host's registries; `content` is untrusted, too. */
export type DefinitionLookup = (category: RegistryCategory, ref: string) => unknown;
/** The names that they have. */
export type DefinitionRefs = (category: RegistryCategory) => readonly string[];

export interface Definition {
  readonly category: RegistryCategory;
  readonly ref: string;
  /** Valid by the contract of its category; a compiled `path` is left out. */
  readonly content: JsonObject;
  readonly body: Body;
  readonly source: 'files' | 'fallback';
}

/** The actions of a tool, or the steps of a capability. */
export type Body = { readonly actions: ToolDefinition['actions'] } | { readonly steps: readonly Step[] };

export interface Registry {
  /** Validated when it is asked for: what a plan does not reach cannot harm it. */
  find(category: RegistryCategory, ref: string): Definition | Failure | undefined;
  readonly isEmpty: boolean;
}

export const CATEGORY = { tool: 'tools', capability: 'capabilities', usecase: 'usecases' } as const satisfies Record<StepType, RegistryCategory>;
const CONTRACT = {
  tools: (content) => validate(ToolDefinition, content),
  capabilities: (content) => validate(CapabilityDefinition, content),
  usecases: (content) => validate(UsecaseDefinition, content),
} satisfies Record<RegistryCategory, (content: JsonObject) => Result<Body, readonly Problem[]>>;
const CATEGORIES = Object.values(CATEGORY);

interface Entry {
  readonly contents: Json[];
  readonly source: 'files' | 'fallback';
}
type Entries = Map<string, Entry>;

/** What an envelope brings: registryFiles first, then both places of a fallback registry, then the host for what is still missing. */
export function readRegistry(payload: JsonObject, lookup?: DefinitionLookup, hosts?: DefinitionRefs): Registry {
  const entries: Entries = new Map();
  readFiles(payload['registryFiles'], entries);
  for (const fallback of [member(payload['options'], 'fallbackRegistry'), payload['fallbackRegistry']]) readFallback(fallback, entries);
  const validated = new Map<string, Definition | Failure>();
  const find = (category: RegistryCategory, ref: string): Definition | Failure | undefined => {
    const name = nameOf(category, ref);
    const before = validated.get(name);
    if (before !== undefined) return before;
    const found = validateAll(category, ref, entries.get(name), lookup?.(category, ref));
    if (found !== undefined) validated.set(name, found);
    return found;
  };
  return {
    find,
    get isEmpty() {
      // A host that does not say what it has is judged by what was found in it.
      return entries.size === 0 && validated.size === 0 && CATEGORIES.every((category) => (hosts?.(category) ?? []).length === 0);
    },
  };
}

export function nameOf(category: RegistryCategory, ref: string): string {
  return `${category}/${ref}`;
}

/** `ref` = `category`: a map of definitions; else one definition. */
function readFiles(files: Json | undefined, entries: Entries): void {
  if (!Array.isArray(files)) return;
  for (const file of files) {
    const category = CATEGORIES.find((name) => name === member(file, 'category'));
    const ref = member(file, 'ref');
    const content = member(file, 'content');
    if (category === undefined || typeof ref !== 'string' || content === undefined) continue;
    if (ref !== category) add(entries, nameOf(category, ref), content, 'files');
    else for (const [inner, definition] of definitionsIn(content, category)) add(entries, nameOf(category, inner), definition, 'files');
  }
}

/** Fills holes: what the files define is not looked at here. */
function readFallback(fallback: Json | undefined, entries: Entries): void {
  for (const category of CATEGORIES) {
    const found = definitionsIn(member(fallback, category), category).filter(([ref]) => !entries.has(nameOf(category, ref)));
    for (const [ref, definition] of found) add(entries, nameOf(category, ref), definition, 'fallback');
  }
}

/** A map by ref, or wrapped once under the name of its category; wrapped, it may also be a list of definitions that know their id. */
function definitionsIn(content: Json | undefined, category: RegistryCategory): [string, Json][] {
  const wrapped = member(content, category);
  const inner = wrapped !== undefined && isObject(content) && Object.keys(content).length === 1 ? wrapped : content;
  if (Array.isArray(inner)) return inner.map((definition) => [String(member(definition, 'id') ?? ''), definition]);
  return isObject(inner) ? Object.entries(inner) : [];
}

function add(entries: Entries, name: string, content: Json, source: Entry['source']): void {
  const before = entries.get(name);
  if (before === undefined) entries.set(name, { contents: [content], source });
  else before.contents.push(content);
}

type ValidDefinition = Pick<Definition, 'content' | 'body'>;

function validateAll(category: RegistryCategory, ref: string, entry: Entry | undefined, hosts: unknown): Definition | Failure | undefined {
  const contents: unknown[] = [...(entry?.contents ?? []), ...(hosts === undefined ? [] : [hosts])];
  let first: ValidDefinition | undefined;
  for (const content of contents) {
    const valid = validateOne(category, ref, content);
    if (valid instanceof Failure) return valid;
    first ??= valid;
    if (first !== valid && canonicalJson(first.content) !== canonicalJson(valid.content)) return failure('REGISTRY_CONFLICT', { category, ref });
  }
  return first && { category, ref, ...first, source: entry?.source ?? 'files' };
}

/** The definition as its contract wants it, `id` equal to `ref`. */
function validateOne(category: RegistryCategory, ref: string, content: unknown): ValidDefinition | Failure {
  const invalid = (problems: readonly Problem[]): Failure => failure('REGISTRY_INVALID', { category, ref, ...listed(problems) });
  const copied = copyJson(content, LIMITS.definition);
  if (!copied.ok) return invalid([copied.problem]);
  if (!isObject(copied.value)) return invalid([{ path: '', keyword: 'invalid_type', message: 'is no object' }]);
  const { path: _compiled, ...rest } = copied.value;
  const definition = Object.freeze(rest);
  const body: Result<Body, readonly Problem[]> = CONTRACT[category](definition);
  if (!body.ok) return invalid(body.error);
  // Under its category's name a definition would read as a map of definitions.
  if (definition['id'] !== ref || ref === category) return invalid([{ path: 'id', keyword: 'ref', message: 'is not the name under which it is registered' }]);
  return { content: definition, body: body.value };
}
