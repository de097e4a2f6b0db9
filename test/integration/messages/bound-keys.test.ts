import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { openMessageSearch } from '../../../src/bin/messages.ts';
import { type IngestOp, PutMessage, SearchMessagesOutput, SearchResponse } from '../../../src/contracts/index.ts';
import type { SearchGrant } from '../../../src/core/ports/index.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { listProjectsAndProducts } from '../../../src/messages/store/list-projects.ts';
import { createMessageStore } from '../../../src/messages/store/store.ts';
import { callMcp } from '../../../src/surfaces/http/routes/mcp.ts';
import { searchMessages } from '../../../src/surfaces/http/routes/message-search.ts';
import { commandLine, lastJson } from '../../support/command-line.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { removeTree } from '../../support/remove-tree.ts';
import { toldBy } from '../../unit/surfaces/mcp/mcp-rig.ts';
import { type Site, startSite } from '../surfaces/http/core-site.ts';

const WRIT = new URL('../../../src/bin/writ.ts', import.meta.url);
const AT = 1_767_312_000_000_000;

/** Three agents: two of one project, of whom one writes to contacts only, and one of another project. */
const GRANTS = {
  ada: { agent: 'Ada', projects: ['app'] },
  bob: { agent: 'bob', projects: null },
  eve: { agent: 'Eve', projects: ['web', 'app'] },
} as const satisfies Record<string, SearchGrant>;
type Reader = keyof typeof GRANTS;

/** Subjects that each of them may find, whatever they ask for. */
const MAY_FIND: Readonly<Record<Reader, readonly string[]>> = {
  ada: ['plan for all', 'plan of ada'],
  bob: ['plan for all', 'plan of ada', 'plan of bob alone', 'secret plan for bob'],
  eve: ['plan of eve'],
};

const message = (project: string, from: string, to: string, subject: string, bcc: readonly string[] = []): IngestOp =>
  PutMessage.parse({ op: 'message', project, key: subject, from, to: [to], bcc, subject, body_md: 'the plan', created_ts: AT });

const OPS: readonly IngestOp[] = [
  message('app', 'Ada', 'Zoe', 'plan of ada', ['Bob']),
  message('app', 'Cleo', 'Zoe', 'plan for all'),
  { op: 'agent', project: 'app', name: 'Bob', contact_policy: 'contacts_only' },
  message('app', 'Bob', 'Zoe', 'plan of bob alone'),
  { op: 'agent', project: 'web', name: 'Dan', contact_policy: 'block_all' },
  message('web', 'Dan', 'Mia', 'plan of dan'),
  PutMessage.parse({
    op: 'message',
    project: 'web',
    key: 'x',
    from: 'Dan',
    to: [{ project: 'app', name: 'Bob' }],
    subject: 'secret plan for bob',
    created_ts: AT,
  }),
  message('web', 'Eve', 'Mia', 'plan of eve'),
  { op: 'product', product_uid: 'suite', name: 'Suite' },
  { op: 'link', product_uid: 'suite', project: 'other' },
];

let home: string;
let site: Site;
let service: ReturnType<typeof openMessageSearch>;
const secrets = new Map<Reader, string>();
const readers = Object.keys(GRANTS) as Reader[];
const writ = (...args: string[]) => commandLine(['--data-dir', path.join(home, 'data'), ...args]);
const keyFile = (reader: Reader): string => path.join(home, `${reader}.key`);

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-bound-'));
  const places = dataDirPaths(path.join(home, 'data'));
  mkdirSync(path.dirname(places.messages), { recursive: true, mode: 0o700 });
  writeFileSync(places.configFile, '[log]\nlevel = "silent"\n', { mode: 0o600 });
  const store = createMessageStore({ file: places.messages, batchOps: 100 });
  await store.start();
  expect((await store.write({ at: AT, ops: OPS })).refusals).toEqual([]);
  await store.stop();
  service = openMessageSearch({ config: ConfigSchema.parse({}), places });
  await service.start();
  site = await startSite({ routes: [callMcp, searchMessages], services: { messageSearch: service } });
  for (const reader of readers) {
    const grant = GRANTS[reader];
    secrets.set(reader, (await site.keys.create({ name: reader, roles: ['search'], grant })).secret);
    const projects = (grant.projects ?? []).flatMap((slug) => ['--project', slug]);
    expect(await writ('key', 'create', reader, '--roles', 'search', '--agent', grant.agent, ...projects, '--out', keyFile(reader))).toMatchObject({ code: 0 });
  }
});
afterAll(async () => {
  await site.server.stop();
  await service.stop();
  removeTree(home);
});

async function post(body: object, headers: Record<string, string>) {
  const reply = await site.fetch('/v1/messages/search', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return SearchResponse.parse(await reply.json());
}

const bearer = (reader: Reader): Record<string, string> => ({ authorization: `Bearer ${secrets.get(reader) ?? ''}` });
const subjectsOf = ({ results }: SearchResponse): string[] => results.map(({ title }) => title).sort();

/** Wishes that would show more to whoever might make them. */
const WISHES: readonly object[] = [
  { text: 'plan' },
  { text: 'plan', scope: 'unrestricted' },
  { text: 'plan', redaction: { redact_body: true, placeholder: '' } },
  { text: 'plan', scope: { caller_scoped: { caller_agent: 'Bob' } }, redaction: { redact_agent_names: true } },
  { text: 'plan', scope: { project_set: { allowed_project_ids: [1, 2, 3, 4] } } },
  { text: '', time_range: { min_ts: 0 }, ranking: 'recency', redaction: { redact_thread_ids: true } },
  { text: '***plan"', explain: true },
];

describe('a key that is bound to an agent', () => {
  it.each(readers)('finds over HTTP what %s may see, whatever is asked for', { tags: ['MS-039', 'MS-040'] }, async (reader) => {
    const cookie = await site.logIn(secrets.get(reader) ?? '');
    for (const headers of [bearer(reader), { cookie, origin: site.url }]) {
      expect(subjectsOf(await post({ text: 'plan', explain: true }, headers))).toEqual(MAY_FIND[reader]);
      for (const wish of WISHES) {
        const answer = await post({ ...wish, explain: true }, headers);
        expect({ wish, more: subjectsOf(answer).filter((subject) => !MAY_FIND[reader].includes(subject)) }).toEqual({ wish, more: [] });
        expect(answer.results.every(({ redacted, raw_score }) => !redacted && raw_score === undefined)).toBe(true);
        expect({ audit: answer.audit, denied: answer.explain?.denied_count, redacted: answer.explain?.redacted_count }).toEqual({
          audit: undefined,
          denied: 0,
          redacted: 0,
        });
      }
    }
  });

  it('may ask for a part of it: projects, or what somebody else may see, too', { tags: ['MS-039'] }, async () => {
    const under = async (reader: Reader, scope: object) => subjectsOf(await post({ text: 'plan', scope }, bearer(reader)));
    const inProjects = (...allowed_project_ids: number[]) => ({ project_set: { allowed_project_ids } });
    expect(await under('bob', inProjects(1, 2))).toEqual(MAY_FIND.bob);
    expect(await under('bob', inProjects(1))).toEqual(MAY_FIND.bob.filter((subject) => !subject.startsWith('secret')));
    expect(await under('ada', inProjects(2))).toEqual([]);
    expect(await under('ada', inProjects())).toEqual([]);
    expect(await under('bob', { caller_scoped: { caller_agent: 'Ada' } })).toEqual(MAY_FIND.ada);
    expect(await under('bob', { caller_scoped: { caller_agent: 'Eve' } })).toEqual([]);
  });

  it('knows agents and projects of its own projects only, and no Bcc of others', async () => {
    const slugs = async (reader: Reader) => subjectsOf(await post({ text: 'app OR web OR other', doc_kind: 'project' }, bearer(reader)));
    expect([await slugs('ada'), await slugs('bob'), await slugs('eve')]).toEqual([['app'], ['app'], ['web']]);
    const names = await post({ text: 'Dan OR Cleo', doc_kind: 'agent' }, bearer('ada'));
    expect(subjectsOf(names)).toEqual(['Cleo']);
    const { results } = await post({ text: '"plan of ada"' }, bearer('bob'));
    expect(results).toMatchObject([{ bcc: ['Bob'] }]);
    const { secret } = await site.keys.create({ name: 'projects', roles: ['search'], grant: { agent: null, projects: ['app'] } });
    const all = await post({ text: 'plan' }, { authorization: `Bearer ${secret}` });
    expect(subjectsOf(all)).toEqual(['plan for all', 'plan of ada', 'plan of bob alone']);
    expect(all.results.map(({ bcc }) => bcc)).toEqual([undefined, undefined, undefined]);
    expect((await post({ text: 'plan', recipient_name: 'Bob' }, { authorization: `Bearer ${secret}` })).results).toEqual([]);
    const places = dataDirPaths(path.join(home, 'data')).messages;
    expect(listProjectsAndProducts(places, { grant: GRANTS.ada }).map(({ name }) => name)).toEqual(['app']);
    expect(listProjectsAndProducts(places, null).map(({ name }) => name)).toEqual(['app', 'other', 'web', 'Suite']);
  });

  it.each(readers)('finds over MCP what %s may see, and no project that is not theirs', async (reader) => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', site.url), { requestInit: { headers: bearer(reader) } }));
    const call = async (name: string, args: object) => toldBy(await client.callTool({ name, arguments: { query: 'plan', explain: true, ...args } }));
    const found: string[] = [];
    for (const project_key of ['app', 'web', 'other', '1', '2', '3', 'none']) {
      const { isError, answer } = await call('search_messages', { project_key });
      if (isError) expect(answer).toEqual({ code: 'NOT_FOUND', field: 'project_key', message: 'project_key: there is no project of this name' });
      else found.push(...SearchMessagesOutput.parse(answer).result.map(({ subject }) => subject));
    }
    expect([...new Set(found)].sort()).toEqual(MAY_FIND[reader].filter((subject) => reader !== 'bob' || !subject.startsWith('secret')));
    expect(await call('search_messages_product', { product_key: 'suite' })).toMatchObject({ isError: true, answer: { code: 'NOT_FOUND' } });
    await client.close();
  });

  it.each(readers)('is what %s is on the command line', async (reader) => {
    const said = SearchResponse.parse(lastJson(await writ('--json', 'messages', 'search', 'plan', '--explain', '--key', keyFile(reader))));
    expect(subjectsOf(said)).toEqual(MAY_FIND[reader]);
    expect(said.explain?.denied_count).toBe(0);
    const other = reader === 'eve' ? 'other' : 'web';
    expect(await writ('messages', 'search', 'plan', '--project', other, '--key', keyFile(reader))).toMatchObject({ code: 1 });
  });

  it('is what a server over stdio serves, with the roles of the key and no others', async () => {
    const serve = scriptArgs(WRIT, ['--data-dir', path.join(home, 'data'), 'mcp', '--key', keyFile('ada')]);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: serve, stderr: 'ignore' }));
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect([names.includes('search_messages'), names.some((name) => /submit|retry|undo/i.test(name))]).toEqual([true, false]);
    const { answer } = toldBy(await client.callTool({ name: 'search_messages', arguments: { project_key: 'app', query: 'plan' } }));
    const found = SearchMessagesOutput.parse(answer).result.map(({ subject }) => subject);
    expect(found.sort()).toEqual(MAY_FIND.ada);
    await client.close();
  });

  it('is refused where the file holds none', async () => {
    writeFileSync(path.join(home, 'no.key'), 'writ_0_x\n');
    for (const file of ['no.key', 'absent.key']) {
      const { code, err } = await writ('messages', 'search', 'plan', '--key', path.join(home, file));
      expect({ code: code === 0, told: err.includes('--key') || err.includes('key') }).toEqual({ code: false, told: true });
    }
  });
});
