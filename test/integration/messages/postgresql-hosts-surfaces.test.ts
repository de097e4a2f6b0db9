import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { openMessageIngest, openMessageSearch } from '../../../src/bin/messages.ts';
import { SearchMessagesOutput, SearchResponse } from '../../../src/contracts/index.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { readOnlyGateway } from '../../../src/messages/serving/read-only.ts';
import { callMcp } from '../../../src/surfaces/http/routes/mcp.ts';
import { submitMessages } from '../../../src/surfaces/http/routes/message-ingest.ts';
import { searchMessages } from '../../../src/surfaces/http/routes/message-search.ts';
import { commandLine, lastJson } from '../../support/command-line.ts';
import { message } from '../../support/messages/samples.ts';
import { patient } from '../../support/patience.ts';
import { startPostgresql, type TestPostgresql } from '../../support/postgresql.ts';
import { removeTree } from '../../support/remove-tree.ts';
import { toldBy } from '../../unit/surfaces/mcp/mcp-rig.ts';
import { startSite } from '../surfaces/http/core-site.ts';
import { hostsOf, query } from './postgresql-hosts-rig.ts';

let server: TestPostgresql;
beforeAll(async () => {
  server = await startPostgresql();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Processes of this one that search. */
function searchProcesses(): readonly number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);
  const found = children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('search-thread'));
  expect(found).toHaveLength(1);
  return found;
}

describe('the processes and surfaces of a host without a store', () => {
  it('searches in processes of its own without any file, and goes on after its connections were cut and after it was killed', async () => {
    const hosts = await hostsOf(server);
    await hosts.mirrorWith().follow();
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-no-store-'));
    const target = { url: hosts.url, passwordFile: '', replicas: [] };
    const search = createMessageSearch({
      file: path.join(directory, 'messages.sqlite'),
      readOnly: true,
      postgresql: target,
      killSwitch: 'postgresql',
      processes: 1,
      deadlineMs: patient(5000),
    });
    const first = await search.search(query({ text: 'plan', mode: 'hybrid' }), null);
    expect(first).toMatchObject({ results: { length: 5 }, explain: { engine: 'postgresql', mode_downgraded: true } });
    expect(first.explain?.downgrade_reason).toContain('hybrid: this host has no store of messages');
    server.psql(hosts.name, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'writ' AND datname = current_database()`);
    expect((await search.search(query({ text: 'plan' }), null)).results).toHaveLength(5);
    for (const pid of searchProcesses()) process.kill(pid, 'SIGKILL');
    const again = await search.search(query({ text: 'plan' }), null);
    expect([0, 5]).toContain(again.results.length);
    expect((await search.search(query({ text: 'plan' }), null)).results).toHaveLength(5);
    await search.stop();
    rmSync(directory, { recursive: true });
    await hosts.close();
  });

  it('is the same over HTTP, MCP and on the command line for the keys of three agents, and refuses what is sent', async () => {
    const hosts = await hostsOf(server);
    await hosts.mirrorWith().follow();
    const home = mkdtempSync(path.join(tmpdir(), 'writ-no-store-'));
    const messages = { read_only: true, engine: 'postgresql', postgresql_url: hosts.url, search_deadline_ms: patient(5000) } as const;
    const config = ConfigSchema.parse({ messages });
    const places = dataDirPaths(path.join(home, 'data'));
    mkdirSync(places.dataDir, { recursive: true, mode: 0o700 });
    const lines = Object.entries(messages).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    writeFileSync(places.configFile, `[log]\nlevel = "silent"\n[messages]\n${lines.join('\n')}\n`, { mode: 0o600 });
    const search = openMessageSearch({ config, places });
    await search.start();
    const gateway = readOnlyGateway({ url: hosts.url, passwordFile: '', replicas: [] });
    const site = await startSite({ routes: [callMcp, searchMessages, submitMessages], services: { messageSearch: search, messages: gateway } });
    const writ = (...args: string[]) => commandLine(['--data-dir', places.dataDir, ...args]);
    for (const agent of ['Ada', 'Bob', 'Eve']) {
      const grant = { agent, projects: null };
      const wanted = (await hosts.one.search(query({ text: 'plan', limit: 50 }), { grant })).results.map(({ id }) => id).sort();
      const { secret } = await site.keys.create({ name: agent, roles: ['search'], grant });
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const reply = await site.fetch('/v1/messages/search', { method: 'POST', headers, body: JSON.stringify({ text: 'plan', limit: 50, explain: true }) });
      const answer = SearchResponse.parse(await reply.json());
      expect({ agent, ids: answer.results.map(({ id }) => id).sort() }).toEqual({ agent, ids: wanted });
      expect(answer.explain).toMatchObject({ engine: 'postgresql', denied_count: 0, mode_downgraded: false });
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', site.url), { requestInit: { headers } }));
      const found: number[] = [];
      for (const project_key of ['app', 'web', 'ops', 'none']) {
        const { isError, answer: told } = toldBy(await client.callTool({ name: 'search_messages', arguments: { query: 'plan', project_key, limit: 50 } }));
        if (isError) expect(told).toMatchObject({ code: 'NOT_FOUND' });
        else found.push(...SearchMessagesOutput.parse(told).result.map(({ id }) => id));
      }
      await client.close();
      // A contact's project is not open to a reader, so that MCP does not take its name.
      expect({ agent, ids: found.filter((id) => !wanted.includes(id)) }).toEqual({ agent, ids: [] });
      expect(found.length).toBeGreaterThan(0);
      const file = path.join(home, `${agent}.key`);
      expect(await writ('key', 'create', agent, '--roles', 'search', '--agent', agent, '--out', file)).toMatchObject({ code: 0 });
      const said = SearchResponse.parse(lastJson(await writ('--json', 'messages', 'search', 'plan', '--limit', '50', '--key', file)));
      expect({ agent, ids: said.results.map(({ id }) => id).sort() }).toEqual({ agent, ids: wanted });
    }
    const sent = await site.fetch('/v1/messages', {
      method: 'POST',
      headers: { authorization: `Bearer ${site.secrets.all}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ops: [message({ key: 'a' })] }),
    });
    expect([sent.status, await sent.text()]).toEqual([409, expect.stringContaining('the host mail.example, which writes them')]);
    await site.server.stop();
    await search.stop();
    removeTree(home);
    await hosts.close();
  });

  it('takes no messages in, and names the host that does', async () => {
    const hosts = await hostsOf(server);
    const target = { url: hosts.url, passwordFile: '', replicas: [] };
    const messages = { read_only: true, engine: 'postgresql', postgresql_url: hosts.url };
    await expect(readOnlyGateway(target).submit([])).rejects.toMatchObject({
      code: 'WRONG_STATE',
      message: expect.stringContaining('does not say now which that is'),
    });
    await hosts.mirrorWith().follow();
    const refusal = {
      code: 'WRONG_STATE',
      message: 'this host takes no messages in (messages.read_only): send them to the host mail.example, which writes them',
    };
    await expect(readOnlyGateway(target).submit([])).rejects.toMatchObject(refusal);
    const config = ConfigSchema.parse({ messages });
    await expect(openMessageIngest({ loaded: { config } } as never, undefined as never)).rejects.toMatchObject(refusal);
    expect(ConfigSchema.safeParse({ messages: { ...messages, engine: 'fts5' } }).error?.issues).toMatchObject([{ path: ['messages', 'read_only'] }]);
    await hosts.close();
  });
});
