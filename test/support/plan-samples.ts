/** Valid samples of the contracts of plans, all fields used. */
const MEMORY = { session_id: 's', state: { a: { b: [1, null] } }, stack: ['x'] };
const HEADER = { id: 'h', version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 's', destination: 'executor', type: 'execution', trace_id: 't' };
const STEP = {
  id: 'one',
  type: 'tool',
  ref: 'slack',
  params: { channel: '#ops', deep: { x: [true] } },
  operation: 'send',
  when: "memory.state.x == 'high'",
  save: { to: { 'memory.state.id': '$.data.id', note: 'lit:x' } },
  on_error: { mode: 'fallback', fallback: { type: 'capability', ref: 'c', operation: 'x', params: {} } },
  for_each: { list: 'memory.state.a.b', as: 'item' },
};
const PATH = 'memory.state.a';
const PREDICATES = [
  { path: PATH, eq: null },
  { path: PATH, ne: { a: 1 } },
  { path: PATH, gt: 1 },
  { path: PATH, gte: 'a' },
  { path: PATH, lt: 1.5 },
  { path: PATH, lte: 'b' },
  { path: PATH, in: [1, 'a', null] },
  { path: PATH, exists: true },
  { all: [{ path: PATH, exists: false }, { any: [{ not: { path: PATH, eq: 1 } }] }] },
];
const BARE = { type: 'usecase', ref: 'u', params: {} };
const RESULTS = [
  { success: true, data: { a: 1 }, error: null, meta: {} },
  { success: true },
  { success: false, data: null, error: { code: 'X', message: 'no', details: { a: 1 } }, meta: {} },
];
const FILE = { category: 'tools', ref: 'slack', content: { id: 'slack' } };
const FALLBACK = { tools: { slack: {} }, capabilities: {}, usecases: {}, more: 1 };
const OPTIONS = { debug: true, maxSteps: 30, maxDepth: 5, interpolate: 'all', fallbackRegistry: FALLBACK, context: { a: 1 }, input: {}, free: [1] };
const PAYLOAD = { steps: [STEP], registryFiles: [FILE], memory: MEMORY, result: RESULTS[0], options: OPTIONS, fallbackRegistry: FALLBACK };
const EXECUTION = [
  { header: HEADER, payload: PAYLOAD },
  { header: { ...HEADER, timestamp: '2026-01-01' }, payload: { steps: [BARE] } },
];
const DEFINITIONS = { header: HEADER, payload: { registryFiles: [FILE], memory: MEMORY } };
const LEGACY = [
  {
    context: { memory: MEMORY, source: 'x', slack: { channel: '#ops' } },
    input: { steps: [STEP], registryFiles: [FILE], options: OPTIONS, event: 1 },
    output: {},
    error: null,
  },
  { context: { memory: { session_id: 's', state: {} } } },
];
const ENTRIES = [
  { stepId: '0-slack', ref: 'slack', ok: true, data: { id: 1 }, error: null, meta: { a: 1 } },
  { stepId: '1-slack', ref: 'slack', ok: false, data: null, error: { code: 'X', message: 'no' } },
];
const OUTPUT = {
  results: ENTRIES,
  memory: MEMORY,
  trace: [
    { stepId: '0-slack', path: '0', ref: 'slack', ok: true },
    { stepId: '1-slack', path: '1', ref: 'slack', skipped: true },
  ],
  debug: { stepCount: 1, maxDepthReached: 0, registry: { sha256: 'x', sources: { 'tools/slack': 'files' } } },
};
const ENDS = [
  { header: HEADER, output: OUTPUT, error: null },
  { header: HEADER, output: { results: [], memory: MEMORY }, error: { code: 'X', message: 'no', details: null } },
];
const SHA = 'b'.repeat(64);
const GROUP = { id: 'c', version: '1', description: 'd', inputs: ['input.x'], outputs: ['memory.state.y'], steps: [STEP, BARE] };

export const PLAN_SAMPLES = {
  step: [STEP, BARE, ...PREDICATES.map((when) => ({ ...BARE, when })), { ...BARE, on_error: { mode: 'stop' } }, { ...BARE, on_error: { mode: 'continue' } }],
  memory: [MEMORY, { session_id: 's', state: {} }],
  envelope: [...EXECUTION, DEFINITIONS, ...LEGACY],
  'legacy-envelope': LEGACY,
  'execution-envelope': EXECUTION,
  'envelope-header': [HEADER],
  'tool-input': [
    { runId: 'h', stepId: '0-slack', tool: { ref: 'slack', provider: 'slack', operation: 'send' }, params: { a: 1 }, context: { memory: MEMORY } },
  ],
  'tool-result': [
    { ok: true, data: { id: 1 }, error: null, meta: { a: 1 } },
    { ok: true, data: null, error: null },
    { ok: false, data: null, error: { code: 'X', message: 'no', details: { a: 1 } } },
  ],
  'tool-definition': [
    { id: 'slack', version: '1', description: 'd', categories: ['chat'], actions: [{ name: 'send', input: ['channel'], output: 'id' }, { name: 'x' }] },
  ],
  capability: [GROUP],
  usecase: [GROUP, { id: 'u', version: '1', steps: [BARE] }],
  result: RESULTS,
  'result-envelope': ENDS,
  'plan-job': [{ v: 1, envelope: EXECUTION[0], lease: 'a.b.c', traceparent: '00-1-2-00' }],
  'plan-result': ENDS.map((envelope) => ({ plan_sha256: SHA, envelope, signature: 'a..b' })),
  'plan-lease-payload': [
    { v: 1, iss: 'k', aud: 'plan', jti: 'j', plan_sha256: SHA, capabilities: ['FILE_COPY', 'TOOL_CALL:slack'], scopes: ['/a'], iat: 1, exp: 2 },
  ],
} satisfies Record<string, readonly object[]>;
