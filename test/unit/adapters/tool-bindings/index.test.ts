import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { readToolBindings } from '../../../../src/adapters/tool-bindings/index.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'writ-bindings-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let n = 0;
/** A root with binding files: name → content. */
function root(files: Readonly<Record<string, unknown>>): string {
  n += 1;
  const made = path.join(directory, String(n));
  mkdirSync(path.join(made, 'config/tool-bindings'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(made, 'config/tool-bindings', `${name}.json`), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return made;
}

const request = { method: 'POST', url: 'https://crm.example/v1/{{params.id}}' };
const crm = { tool: 'crm', adapter: 'http', http: { hosts: ['crm.example'], secrets: { key: 'env:KEY' } }, actions: { add: { request } } };
const docs = { tool: 'docs', adapter: 'mcp', mcp: { command: '/bin/server' }, actions: { find: { effect: 'none' } } };

const change = (patch: object): object => ({ crm: { ...crm, ...patch } });
const withRequest = (patch: object): object => change({ actions: { add: { request: { ...request, ...patch } } } });

describe('bindings', () => {
  it('say how a tool is reached, and which providers there are', async () => {
    const bindings = readToolBindings([
      root({ crm, docs, 'a.b': { ...crm, tool: 'a.b' }, 'crm.more': { ...crm, tool: 'crm.more', provider: 'crm' }, own: { tool: 'own', adapter: 'writ' } }),
    ]);
    expect(['crm', 'docs', 'a.b', 'own', 'none', '__proto__'].map(bindings.bindings)).toEqual([
      { adapter: 'http', provider: 'crm' },
      { adapter: 'mcp', provider: 'docs' },
      { adapter: 'http', provider: 'a-b' },
      { adapter: 'writ' },
      undefined,
      undefined,
    ]);
    expect(bindings.providers).toEqual([
      { name: 'a-b', concurrency: 256, tools: ['a.b'] },
      { name: 'crm', concurrency: 256, tools: ['crm', 'crm.more'] },
      { name: 'docs', concurrency: 8, tools: ['docs'] },
    ]);
    await using open = bindings.open('crm', { environment: () => undefined });
    expect([...open.tools.keys()].sort()).toEqual(['crm', 'crm.more']);
    expect(open.tools.get('crm')?.effects).toEqual(new Map([['add', 'once']]));
    expect(open.tools.get('crm')?.timeoutMs).toBe(30_000);
  });

  it('of a later root replace those of an earlier one', () => {
    const bindings = readToolBindings([root({ crm }), root({ crm: { ...crm, provider: 'other' } })]);
    expect(bindings.bindings('crm')).toEqual({ adapter: 'http', provider: 'other' });
  });

  it('may be missing', () => {
    expect(readToolBindings([path.join(directory, 'nowhere')]).providers).toEqual([]);
  });

  it('that are shipped are sound', () => {
    expect(readToolBindings([packageRoot()]).bindings('writ.file')).toEqual({ adapter: 'writ' });
  });

  it.each([
    ['no JSON', { crm: '{' }, /crm\.json.*not JSON/],
    ['a key twice', { crm: '{"tool":"crm","tool":"crm","adapter":"writ"}' }, /same key twice/],
    ['a field that nobody knows', change({ shell: 'x' }), /shell: is not known here/],
    ['no adapter', change({ adapter: 'ftp' }), /adapter/],
    ['another name than its file', change({ tool: 'other' }), /tool: must be the name of the file/],
    ['a provider that is no queue name', change({ provider: 'CRM' }), /provider: must be/],
    ['actions of writ', { own: { tool: 'own', adapter: 'writ', actions: {} } }, /actions: is not known/],
    ['a host that the binding does not name', withRequest({ url: 'https://other.example/' }), /actions\.add\.request\.url.*http\.hosts/],
    ['another port than the binding names', withRequest({ url: 'https://crm.example:8443/' }), /http\.hosts/],
    ['plain HTTP to a host that is not allowed', withRequest({ url: 'http://crm.example/' }), /must be https/],
    ['a placeholder in the host', withRequest({ url: 'https://{{params.h}}/' }), /only the path may have placeholders/],
    [
      'an odd spelling of an address',
      change({ http: { hosts: ['0x7f.1'] }, actions: { add: { request: { method: 'GET', url: 'https://0x7f.1/' } } } }),
      /usual spelling \(a URL has it as 127\.0\.0\.1\)/,
    ],
    ['a step in the path', withRequest({ url: 'https://crm.example/a/../b' }), /path segment/],
    ['an escaped slash in the path', withRequest({ url: 'https://crm.example/a%2fb' }), /path segment/],
    ['a placeholder of another kind', withRequest({ body: '{{env.HOME}}' }), /body: a placeholder is/],
    ['a placeholder that is not closed', withRequest({ body: '{{params.a' }), /not closed/],
    ['a secret that it does not name', withRequest({ headers: { A: '{{secrets.other}}' } }), /headers\.A uses the secret other/],
    ['a header that is ours', withRequest({ headers: { 'Idempotency-Key': 'x' } }), /Idempotency-Key is set by Writ/],
    ['a header of the connection', withRequest({ headers: { host: 'x' } }), /headers\.host is set by/],
    ['a line break in a header name', withRequest({ headers: { 'A\nB': 'x' } }), /headers/],
    ['a body of GET', withRequest({ method: 'GET', body: {} }), /a GET request has none/],
    ['a secret in the clear', change({ http: { ...crm.http, secrets: { key: 'hunter22' } } }), /must be file:<absolute path> or env:<NAME>/],
    ['an allowed range that is none', change({ http: { ...crm.http, allow: ['10.0.0.0/33'] } }), /http\.allow\.0/],
    ['a command by name', { docs: { ...docs, mcp: { command: 'server' } } }, /docs\.json/],
    ['params in the environment of a server', { docs: { ...docs, mcp: { ...docs.mcp, env: { A: '{{params.a}}' } } } }, /mcp\.env\.A.*no params/],
    [
      'two concurrencies of a provider',
      { crm, two: { ...crm, tool: 'two', provider: 'crm', concurrency: 3 } },
      /two\.json: concurrency.*is 3, but the provider crm has 256/,
    ],
    ['a name too long for a queue', { ['x'.repeat(40)]: { ...crm, tool: 'x'.repeat(40) } }, /provider.*too long/],
  ])('with %s are refused, naming file and field', (_, files, words) => {
    expect(() => readToolBindings([root(files as Record<string, unknown>)])).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringMatching(words) }),
    );
  });
});
