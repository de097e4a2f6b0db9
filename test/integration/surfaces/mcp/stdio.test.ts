import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../../support/command-line.ts';
import { scriptArgs } from '../../../support/compiled/script.ts';
import { toldBy } from '../../../unit/surfaces/mcp/mcp-rig.ts';
import { inspect } from './inspector.ts';

const WRIT = new URL('../../../../src/bin/writ.ts', import.meta.url);
let home: string;
let mcpArgs: readonly string[];

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-mcp-'));
  const tree = path.join(home, 'tree');
  mkdirSync(tree);
  writeFileSync(path.join(tree, 'a.txt'), 'one\nhello there\n');
  writeFileSync(path.join(home, 'secret.txt'), 'hello secret\n');
  mkdirSync(path.join(home, 'data'), { mode: 0o700 });
  writeFileSync(
    path.join(home, 'data', 'writ.toml'),
    `[log]\nlevel = "silent"\n[tools.search]\nenabled = true\n[tools.sandbox]\nallowed_roots = [${JSON.stringify(tree)}]\n`,
    { mode: 0o600 },
  );
  mcpArgs = ['--data-dir', path.join(home, 'data'), 'mcp'];
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the MCP server over stdin and stdout', () => {
  it('serves the client of the SDK without a server: searches in the allowed roots, and nowhere else', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({ command: process.execPath, args: scriptArgs(WRIT, mcpArgs), stderr: 'ignore' });
    await client.connect(transport);
    const call = async (name: string, args: object) => toldBy(await client.callTool({ name, arguments: { ...args } }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('undo_task');
    expect(await call('Search', { pattern: 'hello' })).toMatchObject({
      answer: { count: 1, matches: [{ data: { path: { text: 'a.txt' }, line_number: 2 } }] },
    });
    expect(await call('Search', { pattern: 'hello', path: home })).toMatchObject({ isError: true, answer: { code: 'BadArgs', field: 'path' } });
    expect(await call('get_task', { task_id: 'x' })).toMatchObject({ isError: true, answer: { code: 'REDIS_UNAVAILABLE' } });
    await client.close();
  });

  it('serves the command line of the inspector', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'Search', '--tool-arg', 'pattern=hello'];
    const answer = await inspect([process.execPath, ...call, '--', ...scriptArgs(WRIT, mcpArgs)]);
    expect(answer).toMatchObject({ structuredContent: { count: 1 } });
  });

  it('answers what was asked before stdin was closed, ends with 0, and says nothing else on stdout', async () => {
    const lines = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } } },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'Search', arguments: { pattern: 'hello' } } },
    ];
    const { code, out } = await commandLine(mcpArgs, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(code).toBe(0);
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: { structuredContent?: { count: number } } });
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[1]?.result.structuredContent?.count).toBe(1);
  });

  it('gives a client the roles that it is started with, and refuses a role that there is not', async () => {
    const { code, err } = await commandLine([...mcpArgs, '--roles', 'search,root'], '');
    expect(code).toBe(2);
    expect(err).toContain('--roles');
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const { out } = await commandLine([...mcpArgs, '--roles', 'search'], `${JSON.stringify(list)}\n`);
    const names = (JSON.parse(out) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
    expect(names).toContain('Search');
    expect(names).not.toContain('get_task');
  });
});
