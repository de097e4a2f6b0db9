import fc from 'fast-check';
import { SearchMessagesOutput, SearchMessagesProductOutput, SearchQuery, SearchResponse, TOOL_ALIASES } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { isWritError } from '../../src/core/errors.ts';
import type { MessageSearch } from '../../src/core/ports/index.ts';
import type { McpServices } from '../../src/surfaces/mcp/services.ts';
import { searchMessages, searchMessagesProduct } from '../../src/surfaces/mcp/tools/message-search.ts';
import { patient } from './patience.ts';

/** What became of the requests, by kind of answer. */
export type FuzzCounts = Record<'answered' | 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'refused by the schema', number>;

/** A request that was answered as none may be. */
export class FuzzFault extends Error {}

/** A search takes no longer, whatever is asked for; milliseconds. */
const HANG_MS = patient(5000);
const TOOLS = { search_messages: searchMessages, search_messages_product: searchMessagesProduct } as const;
const OUTPUTS = { search_messages: SearchMessagesOutput, search_messages_product: SearchMessagesProductOutput } as const;

const NASTY = [
  '"',
  '*',
  '(',
  ')',
  'AND',
  'OR',
  'NOT',
  'NEAR(',
  'NEAR/3',
  '^',
  ':',
  'subject:',
  'col:x',
  '-',
  '+',
  '%',
  '_',
  '\\',
  "'",
  ';',
  '--',
  '\0',
  '\u202e',
  '\ud800',
];
const WORDS = ['plan', 'migration', 'POL-358', 'from:Alice', 'fron:x', 'é', '計画', '🦊', 'a.b', '2026-01-01', '2026-13-40', 'urgent', 'x'.repeat(300)];
const piece = fc.oneof(fc.constantFrom(...NASTY, ...WORDS), fc.string({ unit: 'binary', maxLength: 6 }));
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(pieces.length % 2 === 0 ? ' ' : ''));
const cursor = fc.oneof(
  fc.constantFrom(
    '',
    's',
    's3ff0000000000000:i1',
    's3ff0000000000000:i1:efts5',
    's0:i9:ehybrid',
    'sffffffffffffffff:i1',
    's7ff8000000000000:i1',
    's0:i99999999999999999999',
    's0:i1:ex',
  ),
  text,
);
const number = fc.oneof(fc.integer(), fc.integer({ min: -3, max: 1100 }), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const anything = fc.oneof(text, number, fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 2 }), fc.dictionary(text, number, { maxKeys: 2 }));

const date = fc.oneof(fc.constantFrom('2026-01-02', '2026-01-02T03:04', '2026-01-02T00:00:00+01:30', '9999-12-31', '0000-01-01'), text);
const mode = fc.constantFrom('lexical', 'semantic', 'hybrid', 'hybrid_rerank');
const likely: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  query: text,
  limit: number,
  offset: number,
  cursor,
  ranking: fc.constantFrom('relevance', 'RECENT', 'bm25', 'x'),
  importance: fc.constantFrom('high', 'low,urgent', ' ,', 'x'),
  thread_id: text,
  explain: fc.boolean(),
  mode,
  recipient_name: text,
  ack_required: fc.boolean(),
  min_score: number,
  rerank_top_k: number,
  rrf_k: number,
  ...Object.fromEntries([...TOOL_ALIASES.sender, ...TOOL_ALIASES.project].map((name) => [name, fc.constantFrom('backend', 'BlueLake', 'bluelake', ' ')])),
  ...Object.fromEntries([...TOOL_ALIASES.date_start, ...TOOL_ALIASES.date_end].map((name) => [name, date])),
};
const members = (of: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc
    .uniqueArray(fc.constantFrom(...Object.keys(of)), { maxLength: 5 })
    .chain((names) =>
      fc
        .tuple(...names.map((name) => fc.oneof({ weight: 9, arbitrary: of[name] ?? anything }, { weight: 1, arbitrary: anything })))
        .map((values) => Object.fromEntries(names.map((name, at) => [name, values[at]]))),
    );

const key = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('backend', 'suite', 'frontend', '1') }, { weight: 1, arbitrary: anything });
const call = fc.record({
  tool: fc.constantFrom('search_messages' as const, 'search_messages_product' as const),
  args: fc.tuple(fc.record({ project_key: key, product_key: key, query: text }), members(likely)).map(([base, more]) => ({ ...base, ...more })),
});

const ids = fc.array(fc.integer({ min: -1, max: 4 }), { maxLength: 3 });
const query = members({
  doc_kind: fc.constantFrom('message', 'agent', 'project'),
  project_id: number,
  product_id: number,
  importance: fc.array(fc.constantFrom('high', 'urgent'), { maxLength: 3 }),
  direction: fc.constantFrom('inbox', 'outbox'),
  agent_name: fc.constantFrom('BlueLake', 'redfox', ''),
  time_range: fc.record({ min_ts: fc.maxSafeInteger(), max_ts: fc.maxSafeInteger() }, { requiredKeys: [] }),
  scope: fc.oneof(
    fc.constant('unrestricted'),
    ids.map((allowed_project_ids) => ({ project_set: { allowed_project_ids } })),
    fc.constantFrom('GreenHill', 'Nobody').map((caller_agent) => ({ caller_scoped: { caller_agent } })),
  ),
  redaction: fc.record({ redact_body: fc.boolean(), redact_agent_names: fc.boolean(), redact_thread_ids: fc.boolean() }),
  sender_name: text,
  ...Object.fromEntries(
    ['limit', 'offset', 'cursor', 'explain', 'mode', 'min_score', 'ack_required', 'thread_id', 'recipient_name', 'rrf_k'].map((name) => [
      name,
      likely[name] ?? anything,
    ]),
  ),
  ranking: fc.constantFrom('relevance', 'recency'),
});
const body = fc.tuple(text, query).map(([words, more]) => ({ text: words, ...more }));

/**
 * Sends `runs` requests, tools and queries in turn, to a search and judges every answer. Rejects with the first fault.
 * The codes are those of search-rules 16, and what passes validation is answered in the shape of its contract.
 */
export async function fuzzMessageSearch(search: MessageSearch, { runs, seed }: { readonly runs: number; readonly seed: number }): Promise<FuzzCounts> {
  const counts: FuzzCounts = { answered: 0, INVALID_ARGUMENT: 0, NOT_FOUND: 0, 'refused by the schema': 0 };
  const calls = fc.sample(call, { numRuns: Math.ceil(runs / 2), seed });
  const bodies = fc.sample(body, { numRuns: Math.floor(runs / 2), seed });
  for (const { tool, args } of calls) counts[await withoutMuchWork(() => toolAnswer(tool, args, search), { tool, args })] += 1;
  for (const asked of bodies) counts[await withoutMuchWork(() => queryAnswer(asked, search), asked)] += 1;
  return counts;
}

async function toolAnswer(name: keyof typeof TOOLS, input: unknown, search: MessageSearch): Promise<keyof FuzzCounts> {
  const caller = { name: 'fuzz', roles: new Set(['search'] as const) };
  try {
    const answer = await TOOLS[name].call({ input, caller, services: servicesWith(search), signal: NEVER });
    const { error } = OUTPUTS[name].safeParse(answer);
    if (error !== undefined) throw new FuzzFault(`${name} ${JSON.stringify(input)}: ${error.message}`);
    return 'answered';
  } catch (error) {
    if (isWritError(error) && (error.code === 'INVALID_ARGUMENT' || error.code === 'NOT_FOUND') && error.field !== undefined) return error.code;
    throw error instanceof FuzzFault ? error : new FuzzFault(`${name} ${JSON.stringify(input)}: ${String(error)}`, { cause: error });
  }
}

async function queryAnswer(asked: unknown, search: MessageSearch): Promise<keyof FuzzCounts> {
  const read = SearchQuery.safeParse(asked);
  if (!read.success) return 'refused by the schema';
  const { error } = SearchResponse.safeParse(await search.search(read.data, null));
  if (error !== undefined) throw new FuzzFault(`${JSON.stringify(asked)}: ${error.message}`);
  return 'answered';
}

/** Time of the processor, of which others take nothing. */
async function withoutMuchWork<T>(work: () => Promise<T>, asked: unknown): Promise<T> {
  const before = process.cpuUsage();
  const answer = await work();
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  if (ms > HANG_MS) throw new FuzzFault(`took ${Math.round(ms)} ms: ${JSON.stringify(asked)}`);
  return answer;
}

const NEVER = new AbortController().signal;

const unasked = async (): Promise<never> => {
  throw new Error('a search asks for nothing else');
};

function servicesWith(search: MessageSearch): McpServices {
  return {
    version: '0',
    clock: systemClock,
    maxWaitS: 0,
    regrantByDefault: false,
    tasks: unasked,
    plans: unasked,
    queues: unasked,
    contentSearch: unasked,
    contentIndex: unasked,
    messageSearch: async () => search,
    kernel: unasked,
    signatures: unasked,
    audit: unasked,
  };
}
