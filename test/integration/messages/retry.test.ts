import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchQuery } from '../../../src/contracts/index.ts';
import type { SearchViewer } from '../../../src/core/ports/message-search.ts';
import { createWriteEngine } from '../../../src/messages/store/write/engine.ts';
import { removeTree } from '../../support/remove-tree.ts';
import { searchOver } from '../../support/search-service.ts';
import { semanticSearchOver } from '../../support/semantic-search.ts';

const home = mkdtempSync(path.join(tmpdir(), 'writ-retry-'));
const FOX: SearchViewer = { grant: { agent: null, projects: ['open'] } };

/** Mails of an open and of a hidden project; without the hidden one where nobody shall have had it. */
function store(name: string, withHidden: boolean): string {
  const file = path.join(home, `${name}.sqlite`);
  const engine = createWriteEngine(file);
  const mail = (project: string, key: string, subject: string, body_md = '') => ({
    op: 'message' as const,
    project,
    key,
    from: 'Ada',
    to: ['Bob'],
    cc: [],
    bcc: [],
    thread_id: null,
    subject,
    body_md,
    importance: 'normal' as const,
    ack_required: false,
    created_ts: 1,
    attachments: [],
  });
  const open = [
    mail('open', '1', 'Deployment of the billing service', 'calls createInvoiceNumber before the commit'),
    mail('open', '2', 'Coincidence of two migrations', 'both renamed the table'),
    ...Array.from({ length: 12 }, (_, index) => mail('open', `n${index}`, `Weekly report ${index}`, 'nothing happened')),
  ];
  const hidden = [mail('hidden', '3', 'Deploymant secret', 'deploymend deploymenp zebra'), mail('hidden', '4', 'Merger with Zenith', 'coincidental')];
  engine.apply([{ at: 1, ops: [...open, ...(withHidden ? hidden : [])] }]);
  engine.close();
  return file;
}

let search: ReturnType<typeof searchOver>;
let without: ReturnType<typeof searchOver>;
beforeAll(() => {
  search = searchOver(store('with', true));
  without = searchOver(store('without', false));
});
afterAll(() => {
  search.close();
  without.close();
  removeTree(home);
});

const ask = (query: SearchQuery, viewer: SearchViewer = FOX) => search.search(query, viewer);

describe('a search that matches nothing', () => {
  it.each([
    ['deploymet billing', 'spelling', 'deployment billing', [{ word: 'deploymet', by: ['deployment'] }]],
    ['coinciden', 'spelling', 'coincidence', [{ word: 'coinciden', by: ['coincidence'] }]],
    ['servi', 'spelling', 'servi*', [{ word: 'servi', by: ['servi*'] }]],
    ['why was the table missing?', 'any_word', 'table', undefined],
    ['nvoiceNumb', 'substrings', 'nvoiceNumb', undefined],
  ] as const)('%s is answered by %s: %s, and says so', async (text, by, told, replaced) => {
    const { retry, results, guidance, explain } = await ask({ text, explain: true });
    expect(retry).toEqual({ by, text: told, ...(replaced && { replaced }) });
    expect(results.length).toBeGreaterThan(0);
    expect(guidance).toBeUndefined();
    expect(explain?.notes?.join()).toContain(`looked for instead (${by})`);
    expect((await ask({ text, retry: false })).results).toEqual([]);
  });

  it.each(['"deploymet billing"', 'deploymet AND billing', 'deploymet*', 'subject:deploymet', 'xyzzy', 'zebra', 'zenith', 'from:ada xyzzy'])(
    '%s finds nothing still',
    async (text) => {
      expect(await ask({ text })).toMatchObject({ results: [], guidance: { summary: expect.stringContaining('Nothing was found') } });
    },
  );

  it('goes on by its cursor with what made the first page', async () => {
    const first = await ask({ text: 'weekly xyzzy', limit: 5 });
    expect(first.retry).toMatchObject({ by: 'any_word' });
    const seen = first.results.map(({ id }) => id);
    for (let cursor = first.next_cursor; cursor !== undefined; ) {
      const page = await ask({ text: 'weekly xyzzy', limit: 5, cursor });
      expect(page.retry).toEqual(first.retry);
      seen.push(...page.results.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([12, 12]);
  });

  it('answers a bound reader as a store that never had the hidden mail, and names none of its words', async () => {
    for (const text of ['deploymant', 'deploymet', 'deploymen', 'zeni', 'zebr', 'zenitg', 'merge', 'coincidenta', 'coincidentel', 'secret report', 'enith']) {
      const [asked, never] = [await ask({ text }), await without.search({ text }, FOX)];
      const shown = ({ results, retry, guidance }: typeof asked) => ({ ids: results.map(({ id }) => id), retry, guidance });
      expect(shown(asked), text).toEqual(shown(never));
      const told = [asked.retry?.text ?? '', ...(asked.retry?.replaced ?? []).flatMap(({ by }) => by)].filter((word) => word !== text);
      expect(told.join(' '), text).not.toMatch(/deploymant|deploymen[dp]|zebra|zenith|merger|coincidental/u);
    }
    expect((await ask({ text: 'deploymand' }, null)).retry?.replaced?.[0]?.by).toContain('deploymant');
  });

  it('does so in mode hybrid, where rows without any of the words are none', async () => {
    const hybrid = semanticSearchOver(path.join(home, 'with.sqlite'));
    const of = async (text: string) => hybrid.search({ text, mode: 'hybrid', explain: true }, FOX);
    expect((await of('xyzzy quux plugh')).results).toEqual([]);
    expect(await of('deploymet billing')).toMatchObject({ retry: { by: 'spelling' }, results: { 0: { title: 'Deployment of the billing service' } } });
    expect((await of('billing service')).results.map(({ title }) => title)).toEqual(['Deployment of the billing service']);
    hybrid.close();
  });
});
