import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import { execution, play, say } from '../../../support/plan-core.ts';

const STATE: JsonObject = { n: 3, s: 'b', list: [1, { a: [null] }], nothing: null, wide: '\uFF5E', emoji: '\u{1F600}' };
const at = (name: string, rest: JsonObject): JsonObject => ({ path: `memory.state.${name}`, ...rest });
const TRUE = at('n', { eq: 3 });
const FALSE = at('n', { eq: 4 });
const ERROR = at('gone', { gt: 1 });

function judge(when: JsonObject): boolean | string {
  const { calls, code } = play(execution([say({}, { when })], { state: STATE, options: { input: { i: 1 }, context: { c: 'x' } } }));
  return code ?? calls.length === 1;
}

const CASES: readonly (readonly [when: JsonObject, expected: boolean | string])[] = [
  [TRUE, true],
  [FALSE, false],
  [at('list', { eq: [1, { a: [null] }] }), true],
  [at('list', { eq: [1, { a: [] }] }), false],
  [at('list', { eq: [1, { b: [null] }] }), false],
  [at('list', { ne: [1] }), true],
  [at('n', { ne: 3 }), false],
  [at('gone', { eq: null }), false],
  [at('gone', { ne: null }), true],
  [at('nothing', { eq: null }), true],
  [at('gone', { exists: false }), true],
  [at('gone', { exists: true }), false],
  [at('nothing', { exists: true }), true],
  [at('nothing', { exists: false }), false],
  [at('n', { gt: 2 }), true],
  [at('n', { gt: 3 }), false],
  [at('n', { gte: 3 }), true],
  [at('n', { gte: 4 }), false],
  [at('n', { lt: 4 }), true],
  [at('n', { lt: 3 }), false],
  [at('n', { lte: 3 }), true],
  [at('n', { lte: 2 }), false],
  [at('s', { gt: 'a' }), true],
  [at('s', { lt: 'a' }), false],
  [at('wide', { lt: '\u{1F600}' }), true],
  [at('emoji', { gt: '\uFF5E' }), true],
  [at('s', { gt: 1 }), 'WHEN_ERROR'],
  [at('n', { lt: 'a' }), 'WHEN_ERROR'],
  [at('nothing', { lt: 1 }), 'WHEN_ERROR'],
  [at('list', { gte: 1 }), 'WHEN_ERROR'],
  [ERROR, 'WHEN_ERROR'],
  [at('gone', { in: [1] }), 'WHEN_ERROR'],
  [at('n', { in: [1, 3] }), true],
  [at('n', { in: [] }), false],
  [at('list', { in: [[1, { a: [null] }]] }), true],
  [at('list.1.a.0', { eq: null }), true],
  [at('list.2', { exists: true }), false],
  [at('list.01', { exists: true }), false],
  [at('list.length', { exists: true }), false],
  [at('s.0', { exists: true }), false],
  [at('toString', { exists: true }), false],
  [{ path: 'input.i', eq: 1 }, true],
  [{ path: 'context.c', eq: 'x' }, true],
  [{ path: 'memory.session_id', eq: 's' }, true],
  [{ path: 'memory', exists: true }, true],
  [{ all: [] }, true],
  [{ any: [] }, false],
  [{ all: [TRUE, TRUE] }, true],
  [{ all: [TRUE, FALSE] }, false],
  [{ all: [FALSE, ERROR] }, false],
  [{ all: [ERROR, FALSE] }, 'WHEN_ERROR'],
  [{ any: [FALSE, TRUE] }, true],
  [{ any: [FALSE, FALSE] }, false],
  [{ any: [TRUE, ERROR] }, true],
  [{ any: [ERROR, TRUE] }, 'WHEN_ERROR'],
  [{ not: TRUE }, false],
  [{ not: FALSE }, true],
  [{ not: ERROR }, 'WHEN_ERROR'],
  [{ all: [{ any: [FALSE, { not: FALSE }] }, TRUE] }, true],
  [{ path: 'other.x', eq: 1 }, 'INVALID_CONTRACT'],
  [{ path: '', eq: 1 }, 'INVALID_CONTRACT'],
  [{ path: 'memory..x', eq: 1 }, 'INVALID_CONTRACT'],
  [{ path: 'memory.state.n + 1', ne: 1 }, 'INVALID_CONTRACT'],
  [{ path: 'memory.state.list[0]', exists: false }, 'INVALID_CONTRACT'],
  [{ path: 'memory.state.__proto__', eq: 1 }, 'INVALID_CONTRACT'],
  [{ all: [{ path: 'other', eq: 1 }] }, 'INVALID_CONTRACT'],
  [{ any: [TRUE, { path: 'other', eq: 1 }] }, 'INVALID_CONTRACT'],
  [{ not: { path: 'other', eq: 1 } }, 'INVALID_CONTRACT'],
  [{ path: 'memory.state.n' }, 'INVALID_CONTRACT'],
  [{ path: 'memory.state.n', eq: 1, ne: 2 }, 'INVALID_CONTRACT'],
  [{ path: 'memory.state.n', like: 1 }, 'INVALID_CONTRACT'],
  [{ path: 'memory.state.n', gt: true }, 'INVALID_CONTRACT'],
  [{ all: [TRUE], any: [TRUE] }, 'INVALID_CONTRACT'],
  [{}, 'INVALID_CONTRACT'],
];

describe('when as an object', () => {
  it.each(CASES.map(([when, expected]) => [JSON.stringify(when), when, expected] as const))('%s is %#', (_text, when, expected) => {
    expect(judge(when)).toBe(expected);
  });

  it('holds for a step of a definition as for one of the envelope', { tags: ['PE-13'] }, () => {
    const catalog = {
      capabilities: [{ id: 'c', version: '1', inputs: [], outputs: [], steps: [say({ x: 1 }, { when: { path: 'input.go', eq: true } }), say({ x: 2 })] }],
    };
    const steps = [
      { type: 'capability', ref: 'c', params: { go: false } },
      { type: 'capability', ref: 'c', params: { go: true } },
    ];
    expect(play(execution(steps, { catalog })).calls.map(({ path }) => path)).toEqual(['0/cap.c/1', '1/cap.c/0', '1/cap.c/1']);
  });
});
