import { ExecutionEnvelope, LegacyEnvelope, Memory, type Step } from '../../contracts/index.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { failed, type Result } from '../../core/result.ts';
import type { Failure, Problem } from './codes.ts';
import { type Header, headerOf } from './header.ts';
import { copyJson, isObject } from './json-copy.ts';
import { LIMITS } from './limits.ts';
import { measure } from './measure.ts';
import { member } from './paths.ts';
import { invalidContract, validate } from './problems.ts';
import { LOCALS } from './save.ts';

/** What an envelope is about even if it cannot be executed: an error has a header and a memory, too. */
export interface Identity {
  readonly header: Header;
  /** Valid by its contract. */
  readonly memory: JsonObject;
}

/** The execution form; all of it is a frozen copy. */
export interface Normalized extends Identity {
  readonly payload: JsonObject;
  readonly steps: readonly Step[];
  readonly options: NonNullable<ExecutionEnvelope['payload']['options']>;
  /** Where the document has its steps, for errors. */
  readonly stepsAt: 'payload.steps' | 'input.steps';
}

export type ReadEnvelope =
  | { readonly ok: true; readonly envelope: Normalized }
  | { readonly ok: false; readonly failure: Failure; readonly identity: Identity };

/** Validates and normalizes (plan-executor.md, envelope I/O). Never throws, never changes what it is given. */
export function readEnvelope(input: unknown): ReadEnvelope {
  const copied = copyJson(input, LIMITS.envelope);
  if (!copied.ok) return refused([copied.problem], identityOf(rescue(input)));
  const identity = identityOf(copied.value);
  const normalized = normalize(copied.value, identity);
  if (!normalized.ok) return refused(normalized.error, identity);
  const { steps, options = {} } = normalized.value.payload;
  const payload = Object.freeze({ ...payloadOf(normalized.value), memory: identity.memory });
  if (Object.hasOwn(stateOf(identity.memory), LOCALS))
    return refused([{ path: `memory.state.${LOCALS}`, keyword: 'reserved', message: 'is a reserved name' }], identity);
  if (1 + measure(payload).levels > LIMITS.envelope.levels) return refused([{ path: '', keyword: 'depth', message: 'is nested too deeply' }], identity);
  const stepsAt = isLegacy(copied.value) ? 'input.steps' : 'payload.steps';
  return { ok: true, envelope: { ...identity, payload, steps, options, stepsAt } };
}

function refused(problems: readonly Problem[], identity: Identity): ReadEnvelope {
  return { ok: false, failure: invalidContract(problems), identity };
}

/** `memory.state`, which its contract makes an object. */
export function stateOf(memory: JsonObject): JsonObject {
  return objectAt(memory, 'state');
}

/** The execution form. An envelope without a payload is a legacy one, which need not have steps; then there is nothing to execute. */
function normalize(envelope: Json, { header }: Identity): Result<ExecutionEnvelope, readonly Problem[]> {
  if (!isLegacy(envelope)) return validate(ExecutionEnvelope, envelope);
  const legacy = validate(LegacyEnvelope, envelope);
  if (!legacy.ok) return legacy;
  const rebuilt = validate(ExecutionEnvelope, { header, payload: payloadOfLegacy(envelope) });
  return rebuilt.ok ? rebuilt : failed(rebuilt.error.map((problem) => ({ ...problem, path: legacyPath(problem.path) })));
}

function isLegacy(envelope: Json): boolean {
  return member(envelope, 'payload') === undefined;
}

/** Where its author has written what lies here in the payload. */
function legacyPath(path: string): string {
  return path
    .replace(/^payload\.options\.(?=(?:context|input)\b)/, '')
    .replace(/^payload\.memory\b/, 'context.memory')
    .replace(/^payload\b/, 'input');
}

/** The payload rebuilt from legacy fields; what steps can refer to travels in the options. */
function payloadOfLegacy(envelope: Json): JsonObject {
  const { memory = null, ...context } = objectAt(envelope, 'context');
  const { steps, registryFiles, options, fallbackRegistry, ...input } = objectAt(envelope, 'input');
  return {
    memory,
    options: Object.freeze({ ...(isObject(options) ? options : {}), context: Object.freeze(context), input: Object.freeze(input) }),
    ...(steps !== undefined && { steps }),
    ...(registryFiles !== undefined && { registryFiles }),
    ...(fallbackRegistry !== undefined && { fallbackRegistry }),
  };
}

/** As the JSON that was validated. */
function payloadOf({ payload }: ExecutionEnvelope): JsonObject {
  return payload as JsonObject;
}

function objectAt(value: Json, key: string): JsonObject {
  const inner = member(value, key);
  return isObject(inner) ? inner : {};
}

const NO_STACK: Json[] = Object.freeze<Json[]>([]) as Json[];

function identityOf(envelope: Json): Identity {
  const header = headerOf(envelope);
  const memory = member(member(envelope, 'payload') ?? member(envelope, 'context'), 'memory');
  return { header, memory: isMemory(memory) ? memory : Object.freeze({ session_id: header.id, stack: NO_STACK, state: Object.freeze({}) }) };
}

function isMemory(memory: Json | undefined): memory is JsonObject {
  return Memory.safeParse(memory).success;
}

/** Header and memory of input that as a whole is no JSON. */
function rescue(input: unknown): Json {
  const header = partOf(input, 'header');
  const ofPayload = partOf(input, 'payload', 'memory');
  const ofContext = partOf(input, 'context', 'memory');
  return {
    ...(header !== undefined && { header }),
    ...(ofPayload !== undefined && { payload: { memory: ofPayload } }),
    ...(ofContext !== undefined && { context: { memory: ofContext } }),
  };
}

function partOf(input: unknown, ...keys: readonly string[]): Json | undefined {
  let part = input;
  try {
    for (const key of keys) part = typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined;
  } catch {
    // A proxy or an accessor of the caller's threw.
    return undefined;
  }
  const copied = copyJson(part, LIMITS.envelope);
  return copied.ok ? copied.value : undefined;
}
