import fc from 'fast-check';
import { canonicalJson } from '../../src/core/canonical-json.ts';
import { sha256Hex } from '../../src/core/hash.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { PlanCall, PlanDone, PlanRun } from '../../src/core/ports/plan.ts';
import { cap, capability, ECHO, files, HEADER, say } from './plan-core.ts';

/** A tool that answers by what it is asked alone: sometimes with an error, sometimes with no result at all. */
export function answerOf({ toolInput }: PlanCall): unknown {
  const { stepId, params, context } = toolInput;
  const hash = Number.parseInt(sha256Hex(canonicalJson([stepId, params, context])).slice(0, 8), 16);
  if (hash % 11 === 0) return { nonsense: hash };
  if (hash % 4 === 0) return { ok: false, data: null, error: { code: `E${hash % 3}`, message: 'no', details: { hash } } };
  return { ok: true, data: { n: hash % 5, list: Array.from({ length: hash % 4 }, (_, index) => index), text: `t${hash % 7}` }, error: null, meta: { hash } };
}

export function finish(run: PlanRun): PlanDone {
  let state = run.current;
  while (state.kind === 'call') state = run.feed(answerOf(state));
  return state;
}

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(0, 1, 'a', '', null, true, '{{input.v}}', 'a {{memory.state.a}} b', '{{memory.state._locals.item}}', '={{context.c}}'),
  fc.integer({ min: -5, max: 5 }),
);
const params = fc.dictionary(fc.constantFrom('x', 'y', 'z', 'text', 'wrong'), value, { maxKeys: 3 });
const when = fc.constantFrom<Json>(
  'memory.state.a == 1',
  'has(memory.state.b)',
  '!has(memory.state.c)',
  'memory.state.a > 2 || true',
  { path: 'memory.state.a', exists: true },
  { path: 'memory.state.b', gt: 1 },
  { any: [{ path: 'memory.state.a', in: [1, 2] }, { not: { path: 'input.v', eq: 1 } }] },
);
const save = fc.dictionary(
  fc.constantFrom('a', 'b', 'memory.state.c', 'd.e', 'd', 'list.0'),
  fc.constantFrom('$.data.n', '$.data.list', '$.data.text', '$.meta.hash', 'lit:x', '$.data.list[1]'),
  { minKeys: 1, maxKeys: 3 },
);
const list = fc.constantFrom('memory.state.list', 'memory.state.b', 'context.items', 'input.v');
const refs = ['c0', 'c1', 'c2'] as const;

/** A step that may name capabilities from `from` on, so that none contains itself. */
function step(from: number): fc.Arbitrary<JsonObject> {
  const bare = fc
    .tuple(params, fc.integer({ min: from, max: refs.length * 2 }))
    .map(([given, pick]) => (refs[pick] === undefined ? say(given) : cap(refs[pick], given)));
  const plain = bare.map((one) => one);
  const policy = fc.oneof(
    fc.constantFrom<JsonObject>({ mode: 'continue' }, { mode: 'continue' }, { mode: 'stop' }),
    plain.map((fallback): JsonObject => ({ mode: 'fallback', fallback })),
  );
  const optional = fc.record(
    { when, on_error: policy, save: save.map((to): JsonObject => ({ to })), for_each: list.map((path): JsonObject => ({ list: path })) },
    { requiredKeys: [] },
  );
  return fc.tuple(bare, optional).map(([one, more]) => ({ ...one, ...(more as JsonObject) }));
}

const steps = (from: number, maxLength = 4): fc.Arbitrary<JsonObject[]> => fc.array(step(from), { minLength: 1, maxLength });

/** Plans that mostly can be run: groups, conditions, saves, loops and policies at random. */
export const plans: fc.Arbitrary<JsonObject> = fc
  .record({
    top: steps(0, 6),
    c0: steps(1),
    c1: steps(2),
    c2: steps(3),
    debug: fc.boolean(),
    interpolate: fc.constantFrom('registry', 'all'),
    legacy: fc.boolean(),
  })
  .map(({ top, c0, c1, c2, debug, interpolate, legacy }) => {
    const registryFiles = files({ tools: [ECHO], capabilities: [capability('c0', c0), capability('c1', c1), capability('c2', c2)] });
    const memory = { session_id: 's', state: { a: 1, list: [1, 'two', { three: 3 }] } };
    const own = { debug, interpolate, maxSteps: 60 };
    if (legacy) return { context: { memory, c: 'ctx', items: [1, 2] }, input: { steps: top, registryFiles, options: own, v: [7] } };
    return { header: HEADER, payload: { steps: top, registryFiles, memory, options: { ...own, context: { c: 'ctx', items: [1, 2] }, input: { v: [7] } } } };
  });

/** The same value with the keys of every object in another order. */
export function reordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, Json] => [key, reordered(inner)])
      .reverse(),
  );
}
