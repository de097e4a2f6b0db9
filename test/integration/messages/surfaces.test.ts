import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { openMessageSearch } from '../../../src/bin/messages.ts';
import { SearchMessagesOutput, SearchMessagesProductOutput, SearchResponse } from '../../../src/contracts/index.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { callMcp } from '../../../src/surfaces/http/routes/mcp.ts';
import { searchMessages } from '../../../src/surfaces/http/routes/message-search.ts';
import { commandLine, lastJson } from '../../support/command-line.ts';
import { removeTree } from '../../support/remove-tree.ts';
import { toldBy } from '../../unit/surfaces/mcp/mcp-rig.ts';
import { type Site, startSite } from '../surfaces/http/core-site.ts';
import { fillMailbox } from './mailbox.ts';

let home: string;
let site: Site;
let client: Client;
const search = () => openMessageSearch({ config: ConfigSchema.parse({}), places: dataDirPaths(path.join(home, 'data')) });
let service: ReturnType<typeof search>;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-messages-'));
  const places = dataDirPaths(path.join(home, 'data'));
  mkdirSync(places.dataDir, { mode: 0o700 });
  writeFileSync(places.configFile, '[log]\nlevel = "silent"\n', { mode: 0o600 });
  await fillMailbox(places.messages);
  service = search();
  await service.start();
  site = await startSite({ routes: [callMcp, searchMessages], services: { messageSearch: service } });
  client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${site.secrets.search}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', site.url), { requestInit: { headers } }));
  // From now on the client holds every answer against the schema of its tool.
  await client.listTools();
});
afterAll(async () => {
  await client.close();
  await site.server.stop();
  await service.stop();
  removeTree(home);
});

const tool = async (name: string, args: object) => toldBy(await client.callTool({ name, arguments: { ...args } }));
const inBackend = (args: object) => tool('search_messages', { project_key: 'backend', query: 'plan', ...args });
const writ = (...args: string[]) => commandLine(['--data-dir', path.join(home, 'data'), ...args]);

async function post(body: unknown, secret = site.secrets.search) {
  const reply = await site.fetch('/v1/messages/search', {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

describe('message search on its surfaces', () => {
  it('shows snippets and counts facets on each of them, where they are asked for', async () => {
    const asked = { snippets: true, facets: true };
    const told = SearchMessagesOutput.parse((await inBackend(asked)).answer);
    const http = SearchResponse.parse((await post({ text: 'plan', project_id: await projectOfLunch(), limit: 20, ...asked })).body);
    const line = ['messages', 'search', 'plan', '--project', 'backend', '--snippets', '--facets'];
    const cli = SearchResponse.parse(lastJson(await writ('--json', ...line)));
    const snippets = http.results.map(({ snippet }) => snippet);
    expect(snippets.every((snippet) => snippet !== undefined && snippet.title_highlights.length + snippet.highlights.length > 0)).toBe(true);
    expect(told.result.map(({ snippet }) => snippet)).toEqual(snippets);
    expect(cli.results.map(({ snippet }) => snippet)).toEqual(snippets);
    expect(http.facets?.project_id.map(({ count }) => count)).toEqual([6]);
    expect([told.facets, cli.facets]).toEqual([http.facets, http.facets]);
    const { out } = await writ(...line);
    expect(out).toMatch(/\*\*plan\*\*/i);
    expect(out).toMatch(/^projects +\d+ \(6\)$/m);
  });

  it('finds the same, in the same order, over MCP, over HTTP and on the command line', { tags: ['MS-001', 'MS-106'] }, async () => {
    const { answer } = await inBackend({});
    const ids = SearchMessagesOutput.parse(answer).result.map(({ id }) => id);
    expect(ids).toHaveLength(6);
    const backend = await projectOfLunch();
    const http = SearchResponse.parse((await post({ text: 'plan', project_id: backend, limit: 20 })).body);
    expect(http.results.map(({ id }) => id)).toEqual(ids);
    const cli = SearchResponse.parse(lastJson(await writ('--json', 'messages', 'search', 'plan', '--project', 'backend')));
    expect(cli.results).toEqual(http.results);
    expect(http.results.every(({ to, cc, bcc }) => to?.join() === 'GreenHill' && cc?.length === 0 && bcc === undefined)).toBe(true);
    expect(SearchMessagesOutput.parse(answer).result.every(({ to, cc }) => to.join() === 'GreenHill' && cc.length === 0)).toBe(true);
  });

  it('pages through a search by its cursor, over MCP and over HTTP, without a gap or a double', async () => {
    for (const page of [
      async (cursor?: string) =>
        (await inBackend({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })).answer as { result: { id: number }[]; next_cursor?: string },
      async (cursor?: string) => {
        const { results, next_cursor } = SearchResponse.parse((await post({ text: 'plan', project_id: 1, limit: 2, cursor })).body);
        return { result: results, next_cursor };
      },
    ]) {
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const { result, next_cursor } = await page(cursor);
        seen.push(...result.map(({ id }) => id));
        cursor = next_cursor;
      } while (cursor !== undefined && seen.length < 20);
      expect(seen).toHaveLength(6);
      expect(new Set(seen).size).toBe(6);
    }
  });

  it.each([
    [{ sender: 'bluelake' }, 3],
    [{ importance: 'urgent' }, 1],
    [{ thread_id: 't-1' }, 2],
    [{ ack_required: true }, 1],
    [{ since: '2026-01-02T04:00' }, 2],
    [{ until: '2026-01-02' }, 6],
    [{ until: '2026-01-01' }, 0],
    [{ date_end: '2026-01-02T00:00:00Z' }, 1],
    [{ recipient_name: 'GreenHill' }, 6],
    [{ offset: 4 }, 2],
  ])('narrows by %j to %i', { tags: ['MS-110', 'MS-111', 'MS-112', 'MS-113', 'MS-114', 'MS-119', 'MS-120'] }, async (args, count) => {
    const { answer } = await inBackend(args);
    expect(SearchMessagesOutput.parse(answer).result).toHaveLength(count);
  });

  it('orders by time when asked to, and writes times with six digits', { tags: ['MS-109', 'MS-116'] }, async () => {
    const rows = SearchMessagesOutput.parse((await inBackend({ ranking: 'recent' })).answer).result;
    const times = rows.map(({ created_ts }) => created_ts ?? '');
    expect(times[0]).toBe('2026-01-02T05:00:00.000000Z');
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('explains only when asked to', { tags: ['MS-115'] }, async () => {
    const answerTo = async (args: object) => SearchMessagesOutput.parse((await inBackend(args)).answer);
    expect(await answerTo({})).not.toHaveProperty('explain');
    expect((await answerTo({ explain: true })).explain).toMatchObject({ engine: 'fts5', used_like_fallback: false, matched_count: 6 });
  });

  it('says without explain that it was degraded, the same each time', { tags: ['MS-118', 'MS-125', 'MS-126'] }, async () => {
    const answered = async () => SearchMessagesOutput.parse((await inBackend({ mode: 'hybrid' })).answer);
    const [first, second] = [await answered(), await answered()];
    expect(first.result).toHaveLength(6);
    expect(first.diagnostics).toMatchObject({ degraded: true });
    expect(second.diagnostics).toEqual(first.diagnostics);
  });

  it('guides and assists over MCP', { tags: ['MS-117'] }, async () => {
    const { answer } = await inBackend({ query: 'from:BlueLake zebra', importance: 'low' });
    expect(answer).toMatchObject({ result: [], assistance: { applied_filter_hints: [{ field: 'from', value: 'BlueLake' }] } });
    expect(SearchMessagesOutput.parse(answer).guidance?.suggestions?.map(({ kind }) => kind)).toContain('drop_importance_filter');
  });

  it('searches all projects of a product, or one of them', { tags: ['MS-121', 'MS-122', 'MS-124'] }, async () => {
    const all = await tool('search_messages_product', { product_key: 'suite', query: 'plan' });
    expect(SearchMessagesProductOutput.parse(all.answer).result).toHaveLength(8);
    const one = await tool('search_messages_product', { product_key: 'The Suite', query: 'plan', proj: 'frontend' });
    expect(SearchMessagesProductOutput.parse(one.answer).result).toHaveLength(2);
    const none = await tool('search_messages_product', { product_key: 'suite', query: 'plan', proj: 'elsewhere' });
    expect(none).toMatchObject({ isError: true, answer: { code: 'NOT_FOUND', field: 'proj' } });
  });

  it.each(['"', 'a AND', 'col:x', "it's", '*', 'NEAR(', '%_\\', '\u0000', '🦊', 'plan OR (', "'; DROP TABLE messages; --"])(
    'answers the query %j, whatever the engine thinks of it',
    { tags: ['MS-157'] },
    async (query) => {
      expect((await inBackend({ query })).isError).toBe(false);
      expect((await post({ text: query })).status).toBe(200);
    },
  );

  it('needs the role search, and takes a body as its contract says', async () => {
    expect((await post({ text: 'x' }, site.secrets.read)).body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect((await post({ text: 1 })).body).toMatchObject({ status: 400, code: 'INVALID_ARGUMENT', field: 'text' });
    expect((await post({})).body).toMatchObject({ status: 400, field: 'text' });
    expect((await post({ text: 'x', mode: 'magic' })).body).toMatchObject({ status: 400, field: 'mode' });
    expect((await post({ text: 'plan', colour: 'red', limit: 100_000 })).status).toBe(200);
  });

  it('tells what was withheld only to keys with the role operate', async () => {
    const hidden = { text: 'plan', scope: { caller_scoped: { caller_agent: 'Stranger' } }, redaction: { redact_body: true }, limit: 50 };
    const { redaction: _, ...leftOut } = hidden;
    for (const body of [hidden, leftOut]) {
      expect((await post(body)).body).not.toHaveProperty('audit');
      const { audit = [] } = SearchResponse.parse((await post(body, site.secrets.all)).body);
      expect(audit.map(({ action }) => action)).toEqual(Array.from({ length: 9 }, () => (body === hidden ? 'redacted' : 'denied')));
    }
  });

  it('says that there are no messages yet, also of a project that nobody can look up', async () => {
    const empty = mkdtempSync(path.join(home, 'empty-'));
    for (const more of [[], ['--project', 'backend'], ['--product', 'suite']]) {
      const said = await commandLine(['--data-dir', empty, 'messages', 'search', 'plan', ...more]);
      expect({ code: said.code, out: said.out }).toEqual({ code: 0, out: 'nothing found\n' });
      expect(said.err).toContain('search_index_not_ready');
    }
    expect((await writ('messages', 'search', 'plan', '--project', 'nowhere')).code).toBe(1);
  });

  it('is refused by WRONG_STATE where messages are off', async () => {
    await using off = openMessageSearch({ config: ConfigSchema.parse({ messages: { enabled: false } }), places: dataDirPaths(path.join(home, 'data')) });
    await expect(off.search({ text: 'plan' }, null)).rejects.toMatchObject({ code: 'WRONG_STATE' });
    expect((await writ('--set', 'messages.enabled=false', 'messages', 'search', 'plan')).code).toBe(1);
  });

  it('is served over stdio', async () => {
    const call = { name: 'search_messages', arguments: { project_key: 'backend', query: 'migration', limit: 1 } };
    const { out } = await commandLine(
      ['--data-dir', path.join(home, 'data'), 'mcp'],
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })}\n`,
    );
    const structuredContent = { result: [{ importance: expect.any(String) }], next_cursor: expect.any(String) };
    expect(JSON.parse(out)).toMatchObject({ id: 1, result: { structuredContent } });
  });
});

/** Only `backend` has a message about it. */
async function projectOfLunch(): Promise<number> {
  const [first] = SearchResponse.parse((await post({ text: 'lunch' })).body).results;
  return first?.project_id ?? 0;
}
