import { describe, expect, it } from 'vitest';
import { BOUNDS } from '../../../../src/contracts/index.ts';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { cap, capability, execution, ok, play, say } from '../../../support/plan-core.ts';

const MIB = 1024 * 1024;

/** A body with this parameter, over this memory. */
function bind(x: Json, state: JsonObject) {
  return play(execution([cap('c')], { state, catalog: { capabilities: [capability('c', [say({ x })])] } }));
}

/** So many arrays in each other. */
const nested = (levels: number, inner: Json): Json => (levels === 0 ? inner : [nested(levels - 1, inner)]);

describe('parameters that are bound', () => {
  it('may have one MiB, and not more: in what templates bring, and together with what stands beside them', () => {
    const error = { code: 'MAX_SIZE_EXCEEDED', calls: [], error: { details: { what: 'params', limit: MIB } } };
    expect(bind('{{memory.state.text}}', { text: 'x'.repeat(MIB - 100) })).toMatchObject({ code: undefined, calls: [{}] });
    expect(bind('{{memory.state.text}}', { text: 'x'.repeat(MIB) })).toMatchObject(error);
    expect(bind(['{{memory.state.text}}', '<{{memory.state.text}}>'], { text: 'x'.repeat(MIB * 0.6) })).toMatchObject(error);
    expect(bind(['{{memory.state.text}}', 'y'.repeat(MIB * 0.6)], { text: 'x'.repeat(MIB * 0.6) })).toMatchObject(error);
  });

  it('may have 26 levels, and not more', () => {
    expect(bind(nested(15, '{{memory.state.deep}}'), { deep: nested(10, 1) })).toMatchObject({ code: undefined, calls: [{}] });
    expect(bind(nested(15, '{{memory.state.deep}}'), { deep: nested(11, 1) })).toMatchObject({
      code: 'MAX_SIZE_EXCEEDED',
      calls: [],
      error: { details: { what: 'levels of params', limit: 26 } },
    });
  });
});

describe('an answer that has room in a result', () => {
  it.each([
    ['numbers', Array.from({ length: 520_000 }, () => 0)],
    ['empty lists', Array.from({ length: 345_000 }, () => [])],
    ['short texts', Array.from({ length: 345_000 }, () => '')],
    ['one text', 'x'.repeat(MIB - 3000)],
    ['characters of several bytes', '\u{1F600}'.repeat(MIB / 4 - 1000)],
    ['control characters', '\u0001'.repeat(MIB / 6 - 1000)],
  ] satisfies (readonly [string, Json])[])('is taken by the plan, whatever it is made of: %s', (_what, value) => {
    const data = { value };
    const bytes = Buffer.byteLength(JSON.stringify({ data }));
    expect([bytes < BOUNDS.output, bytes > BOUNDS.output - 16 * 1024]).toEqual([true, true]);
    const { code, state } = play(execution([say({}, { save: { to: { kept: '$.data.value' } } })]), () => ok(data));
    // Texts are compared faster than half a million items.
    expect([code, JSON.stringify(state['kept']) === JSON.stringify(value)]).toEqual([undefined, true]);
  });
});

describe('what is saved', () => {
  it('may make the memory 4 MiB large; what does not fit is not saved, and the results stay', () => {
    const steps = Array.from({ length: 8 }, (_, step) => say({}, { save: { to: { [`k${step}`]: '$.data.text' } } }));
    const { code, error, calls, state } = play(execution(steps), () => ok({ text: 'x'.repeat(900_000) }));
    expect([code, calls.length, Object.keys(state)]).toEqual(['MAX_SIZE_EXCEEDED', 5, ['k0', 'k1', 'k2', 'k3']]);
    expect(error).toMatchObject({ details: { what: 'memory', limit: 4 * MIB, step: { stepId: '4-echo', path: '4' } } });
  });

  it('may make the memory 26 levels deep', () => {
    const run = (levels: number) => play(execution([say({}, { save: { to: { 'a.b.c.d.e.f.g.h': '$.data.deep' } } })]), () => ok({ deep: nested(levels, 1) }));
    const { code, state } = run(18);
    expect([code, Object.keys(state)]).toEqual([undefined, ['a']]);
    expect(run(19)).toMatchObject({ code: 'MAX_SIZE_EXCEEDED', state: {}, error: { details: { what: 'levels of memory', limit: 26 } } });
  });
});
