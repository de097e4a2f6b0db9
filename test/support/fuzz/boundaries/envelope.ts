import { compileCel } from '../../../../src/executors/plan/cel.ts';
import { linkPlan, startPlan } from '../../../../src/executors/plan/index.ts';
import { PLAN_SAMPLES } from '../../plan-samples.ts';
import { type Boundary, parsed, shown } from '../boundary.ts';

const MOST_STEPS = 40;
const DEFINITIONS: Readonly<Record<string, object>> = {
  slack: PLAN_SAMPLES['tool-definition'][0] as object,
  c: { id: 'c', version: '1', inputs: ['input.x'], outputs: ['memory.state.y'], steps: [tool({ channel: '{{input.x}}' })] },
  u: { id: 'u', version: '1', steps: [{ type: 'capability', ref: 'c', params: { x: '{{input.x}}' } }] },
};
const STEPS: readonly object[] = [
  tool({ channel: { x: [true, '{{memory.state.a.b}}'] } }),
  {
    ...tool({ channel: '#ops' }),
    when: "memory.state.x == 'high'",
    save: { to: { 'memory.state.id': '$.data.id', note: 'lit:x' } },
    on_error: { mode: 'continue' },
  },
  { ...tool({ channel: '{{item}}' }), for_each: { list: 'memory.state.a.b', as: 'item' } },
  { ...tool({ channel: '#ops' }), when: { all: [{ path: 'memory.state.x', exists: true }, { not: { path: 'memory.state.n', gt: 1 } }] } },
  { ...tool({ channel: '#ops' }), on_error: { mode: 'fallback', fallback: tool({ channel: 1 }) }, retry: { max: 2, backoff_ms: 10 } },
  { type: 'capability', ref: 'c', params: { x: 1 } },
  { type: 'usecase', ref: 'u', params: { x: '{{memory.state.x}}' } },
];
const ANSWERS = PLAN_SAMPLES['tool-result'];

/** Envelopes of plans, by the pure core: linked, described, and run with answers of every kind. */
export const envelope: Boundary = {
  shape: 'json',
  what: 'envelopes of plans: linked, and run to their end with answers of every kind',
  async open() {
    return {
      seeds: [...STEPS.map((step) => planOf([step])), planOf(STEPS), legacyOf(STEPS), ...PLAN_SAMPLES.envelope].map((one) => JSON.stringify(one)),
      words: [
        'steps',
        'type',
        'tool',
        'capability',
        'usecase',
        'ref',
        'slack',
        'c',
        'u',
        'params',
        'when',
        'save',
        'to',
        'on_error',
        'for_each',
        'retry',
        '{{memory.state.a}}',
        '$.data.id',
        'lit:x',
        'memory.state.a.b',
        'options',
        'maxSteps',
        'registryFiles',
      ],
      run(input) {
        const document = parsed(input);
        const linked = linkPlan(document, (_, ref) => (Object.hasOwn(DEFINITIONS, ref) ? DEFINITIONS[ref] : undefined) as never);
        if (!linked.ok) {
          shown(`${linked.message} ${JSON.stringify(linked)}`);
          return `link:${linked.code}`;
        }
        const run = startPlan(linked.envelope);
        for (let n = 0; n < MOST_STEPS && run.current.kind === 'call'; n += 1) run.feed(ANSWERS[n % ANSWERS.length] as never);
        if (run.current.kind === 'call') return 'waiting';
        shown(JSON.stringify(run.current));
        return run.current.error?.code ?? 'ok';
      },
    };
  },
};

/** Conditions in restricted CEL: compiled, and asked. */
export const cel: Boundary = {
  shape: 'text',
  what: 'expressions of `when` in restricted CEL: compiled and evaluated',
  boundMs: 1000,
  async open() {
    const roots = { memory: { session_id: 's', state: { a: [1, 'x', null, { b: 2 }], n: 1.5, t: 'abc', 計: true } }, input: { x: 1 }, context: {} };
    return {
      seeds: [
        "memory.state.a[0] == 1 && 'x' in memory.state.a",
        'has(memory.state.n) ? size(memory.state.a) > 2 : !(input.x <= 3)',
        "memory.state.t < 'b' || memory['state']['n'] >= -1.5e3",
        '[1, 2.0, "a", true, null] == memory.state.a',
        '!!(1 in [1,2,3]) && (input.x != 1u || false)',
      ],
      words: [
        'memory',
        'input',
        'context',
        '.state',
        '[0]',
        "['a']",
        '&&',
        '||',
        '==',
        '!=',
        '<',
        '<=',
        ' in ',
        '?',
        ':',
        'has(',
        'size(',
        '(',
        ')',
        '!',
        '-',
        '1e400',
        '0x7fffffffffffffff',
        '9223372036854775808',
        '"\\u0000"',
        "b'x'",
        "r'\\'",
        '.map(x, x)',
        '.matches("(a+)+$")',
        '{',
        '}',
        'duration("1s")',
        '//',
        '"""',
      ],
      run(input) {
        const expression = compileCel(input.toString('utf8'));
        if (typeof expression !== 'function') return expression.at <= input.length ? 'refused' : 'refused outside of the text';
        const value = expression(roots as never, { left: 100_000 });
        return value === undefined ? 'no value' : typeof value;
      },
    };
  },
};

function tool(params: object): object {
  return { type: 'tool', ref: 'slack', operation: 'send', params };
}

const MEMORY = { session_id: 's', state: { a: { b: [1, null, 'x'] }, x: 'high', n: 0 } };

function planOf(steps: readonly object[]): object {
  return {
    header: { id: 'h', version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 's', destination: 'executor', type: 'execution' },
    payload: { steps, memory: MEMORY, options: { maxSteps: 30 } },
  };
}

function legacyOf(steps: readonly object[]): object {
  return { context: { memory: MEMORY, source: 'x' }, input: { steps } };
}
