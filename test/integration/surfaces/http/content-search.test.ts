import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userSurroundings } from '../../../../config/load.ts';
import { ConfigSchema } from '../../../../config/schema.ts';
import { openContentTool } from '../../../../src/content-search/io/tool.ts';
import { limitSearches } from '../../../../src/content-search/search/limit-searches.ts';
import { contentSettings } from '../../../../src/content-search/settings/content-settings.ts';
import { ContentSearchAnswer } from '../../../../src/contracts/index.ts';
import { WritClient } from '../../../../src/surfaces/client/index.ts';
import { type Site, startSite } from './routes-site.ts';

let root: string;
let site: Site;
/** Told when a search begins and when its signal was aborted. */
const seen: string[] = [];
/** Searches for this pattern last until their signal is aborted. */
const ENDLESS = 'endless';

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-content-http-'));
  mkdirSync(path.join(root, 'docs'));
  writeFileSync(path.join(root, 'docs', 'b.txt'), 'beta hello\n');
  writeFileSync(path.join(root, 'docs', 'a.txt'), 'one\nHello alpha\nthree\n');
  const config = ConfigSchema.parse({ tools: { search: { enabled: true, emit_stats: true }, sandbox: { allowed_roots: [root] } } });
  const { tool } = await openContentTool(contentSettings(config, userSurroundings()), { confined: false });
  const watched = {
    refusal: undefined,
    search: (request: unknown, signal: AbortSignal) => {
      if (typeof request !== 'object' || request === null || !('pattern' in request) || request.pattern !== ENDLESS) return tool.search(request, signal);
      seen.push('begun');
      return new Promise<Awaited<ReturnType<typeof tool.search>>>((resolve) => {
        signal.addEventListener('abort', () => {
          seen.push('aborted');
          resolve({ ok: false, error: { code: 'ExecutionFailed', field: undefined, message: 'stopped' } });
        });
      });
    },
  };
  site = await startSite({ kernel: false, contentSearch: limitSearches(watched, 2) });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const ask = (body: unknown, as: 'search' | 'read' | 'operator' = 'search') => site.ask('/v1/search', { method: 'POST', body, as });

describe('POST /v1/search', () => {
  it('answers what the tool answers, as the contract has it, not to be kept', async () => {
    const { status, headers, body } = await ask({ pattern: 'hello', context: 1 });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toContain('no-store');
    const answer = ContentSearchAnswer.parse(body);
    expect(answer.matches.map(({ type, data }) => `${type} ${data.path.text}:${data.line_number}:${data.lines.text}`)).toEqual([
      'context docs/a.txt:1:one',
      'match docs/a.txt:2:Hello alpha',
      'context docs/a.txt:3:three',
      'match docs/b.txt:1:beta hello',
    ]);
    expect(answer.stats?.elapsed_ms).toBeGreaterThanOrEqual(0);
  });

  it('answers 200 for a search that finds nothing', async () => {
    expect(await ask({ pattern: 'nowhere to be found' })).toMatchObject({ status: 200, body: { count: 0, exit_code: 1, matches: [] } });
  });

  it.each([
    [{ pattern: 'two\nlines' }, 'pattern'],
    [{}, 'pattern'],
    [{ pattern: 'x', include_glob: [] }, 'include_glob'],
    [{ pattern: 'x', max_results: 0 }, 'max_results'],
    [{ pattern: 'x', glob: ['ok', ''] }, 'glob.1'],
    [{ pattern: 'x', path: '../other' }, 'path'],
    [{ pattern: 'x', path: '/etc' }, 'path'],
    [{ pattern: '(' }, 'pattern'],
  ])('answers %o with a problem BadArgs that names %s', async (request, field) => {
    const { status, headers, body } = await ask(request);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect({ status, code: body.code, field: body.field }).toEqual({ status: 400, code: 'BadArgs', field });
  });

  it('answers what cannot be done with a problem ExecutionFailed', async () => {
    expect(await ask({ pattern: 'x', path: 'absent' })).toMatchObject({ status: 422, body: { code: 'ExecutionFailed', field: 'path' } });
  });

  it('needs the role search', async () => {
    expect(await ask({ pattern: 'x' }, 'read')).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await ask({ pattern: 'hello' }, 'operator')).status).toBe(200);
    expect((await site.ask('/v1/search', { method: 'POST', body: { pattern: 'x' }, as: 'nobody' })).status).toBe(401);
  });

  it('ends the search of a client that goes away; answers 429 with Retry-After while as many run as may', async () => {
    const requests = [0, 1].map(() => {
      const headers = { authorization: `Bearer ${site.secret('search')}`, 'content-type': 'application/json' };
      const request = http.request(`${site.url}/v1/search`, { method: 'POST', headers });
      request.on('error', () => undefined);
      request.end(JSON.stringify({ pattern: ENDLESS }));
      return request;
    });
    await expect.poll(() => seen).toEqual(['begun', 'begun']);
    const { status, headers, body } = await ask({ pattern: 'hello' });
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'RATE_LIMITED' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    for (const request of requests) request.destroy();
    await expect.poll(() => seen).toEqual(['begun', 'begun', 'aborted', 'aborted']);
    await expect.poll(async () => (await ask({ pattern: 'hello' })).status).toBe(200);
  });

  it('answers the typed client, its errors too', async () => {
    const client = new WritClient({ baseUrl: site.url, key: site.secret('search') });
    const answer = await client.contentSearch({ pattern: 'alpha', fixed_strings: true });
    expect(answer.matches.map(({ data }) => data.lines.text)).toEqual(['Hello alpha']);
    await expect(client.contentSearch({ pattern: '' })).rejects.toMatchObject({ name: 'WritApiError', code: 'BadArgs', field: 'pattern', status: 400 });
    const stop = new AbortController();
    const asked = client.contentSearch({ pattern: ENDLESS }, { signal: stop.signal });
    await expect.poll(() => seen.at(-1)).toBe('begun');
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect.poll(() => seen.at(-1)).toBe('aborted');
  });
});

describe('POST /v1/search of a server that may search nowhere', () => {
  it('answers 403 with the lines to add', async () => {
    await using bare = await startSite({ kernel: false });
    const refused = await bare.ask('/v1/search', { method: 'POST', body: { pattern: 'x' }, as: 'search' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'SEARCH_NOT_ALLOWED', title: 'Search not allowed' } });
    expect(refused.body.detail).toContain('allowed_roots = [');
  });
});
