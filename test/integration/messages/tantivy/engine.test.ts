import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SearchQuery } from '../../../../src/contracts/index.ts';
import { addMails, type Mail, mailboxFile, removeMails } from '../../../support/mailbox.ts';
import { BOX, T } from '../../../support/mailbox-small.ts';
import { searchOver } from '../../../support/search-service.ts';
import { describeTantivy, tantivyOver } from '../../../support/tantivy.ts';

const mail = (id: number, subject: string, body: string): Mail => ({
  id,
  project_id: 1,
  sender_id: 1,
  thread_id: null,
  subject,
  body,
  importance: 'normal',
  ack: false,
  created_ts: T + id,
  recipients: [],
});
/** Beyond what the binding's numbers hold. */
const LARGE = 2 ** 40 + 7;
const MAILS = [
  mail(1, 'Deploy', 'the build of POL-358 is done, see foo_bar'),
  mail(2, 'Lunch', 'nobody deployed the building'),
  mail(3, 'Deploy notes', "it's Café time, deploy deploy"),
  mail(4, 'Café', 'cafe without accent'),
  mail(LARGE, 'Far', 'away zulu'),
];

describeTantivy('Tantivy as an engine', (tantivy) => {
  let box: ReturnType<typeof mailboxFile>;
  let rig: ReturnType<typeof tantivyOver>;
  let service: ReturnType<typeof searchOver>;
  beforeAll(() => {
    box = mailboxFile({ ...BOX, mails: MAILS });
    rig = tantivyOver(tantivy, box.file);
    rig.indexer.follow();
    service = searchOver(box.file, { engines: { tantivy: rig.engine } });
  });
  afterAll(() => {
    service.close();
    rig.close();
    box.remove();
  });
  const search = (text: string, rest: Partial<SearchQuery> = {}) => service.search({ text, explain: true, ...rest }, null);
  const ids = async (text: string, rest: Partial<SearchQuery> = {}) => (await search(text, rest)).results.map(({ id }) => id);

  it('serves lexical search, and explain says so', { tags: ['MS-007', 'MS-014', 'MS-168'] }, async () => {
    const { explain, diagnostics } = await search('deploy');
    expect(explain).toMatchObject({ method: 'tantivy', engine: 'tantivy', normalized_query: 'deploy', mode_downgraded: false, matched_count: 2 });
    expect(diagnostics).toBeUndefined();
  });

  const found: readonly (readonly [string, readonly number[]])[] = [
    ['deploy', [3, 1]],
    ['DEPLOY', [3, 1]],
    ['deployed', [2]],
    ['café', [4, 3]],
    ['cafe', [4]],
    ['POL-358', [1]],
    ['"358 pol"', []],
    ['foo', [1]],
    ["it's", [3]],
    ['deploy done', [1]],
    ['deploy AND done', [1]],
    ['deployed OR done', [1, 2]],
    ['deploy NOT done', [3]],
    ['(deployed OR deploy) AND build*', [1, 2]],
    ['buil*', [1, 2]],
    ['b*', [1, 2]],
    ['subject:deploy', [1, 3]],
    ['body:deploy', [3]],
    ['subject:deploy*', [1, 3]],
    ['"the bui"*', [1, 2]],
    ['"the build"', [1]],
    ['deploy & done', [1]],
    ['zulu', [LARGE]],
    ['nowhere', []],
  ];
  it.each(found)('finds by %s the mails %j: words as they are written, without case', { tags: ['MS-163'] }, async (text, expected) => {
    expect((await ids(text)).sort((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b));
  });

  const phrases = ['"the build', 'the build)', '(the build', 'the AND build AND', 'NOT the build', 'from:the build', '((the build)'];
  it.each(phrases)('takes %s, which is no syntax, as one phrase', { tags: ['MS-051'] }, async (text) => {
    const answer = await search(text);
    expect(answer.explain).toMatchObject({ method: 'tantivy', used_like_fallback: false });
    // Words that were operators belong to the phrase too.
    expect(answer.results.map(({ id }) => id)).toEqual(/AND|NOT|from/u.test(text) ? [] : [1]);
  });

  it.each([
    ['NEAR(the build)', 'NEAR', [1, 2]],
    ['^the', 'the beginning of a column (^)', [1]],
    ['{body} : build', 'columns in braces or behind a minus', [1, 2]],
  ] as const)('leaves %s to FTS5, which alone knows it, and says so', async (text, what, expected) => {
    const { explain, results, diagnostics } = await search(text);
    expect(results.map(({ id }) => id).sort((a, b) => a - b)).toEqual(expected);
    expect(explain).toMatchObject({
      method: 'fts5',
      used_like_fallback: false,
      mode_downgraded: false,
      notes: [`invalid_query: tantivy: only FTS5 knows ${what}`],
    });
    expect(diagnostics).toBeUndefined();
  });

  it('scores by BM25, more is better, as shares of the best', { tags: ['MS-061', 'MS-062', 'MS-066', 'MS-068'] }, async () => {
    const { results } = await search('deploy');
    const [first, second] = results;
    // Written down again from the description of BM25 (k1 1.2, b 0.75): the subject counts ten times. All documents of the
    // index count, also those of other kinds.
    const documents = MAILS.length + BOX.agents.length + BOX.projects.length;
    const idf = (n: number) => Math.log(1 + (documents - n + 0.5) / (n + 0.5));
    const bm25 = (n: number, times: number, length: number, total: number) =>
      (idf(n) * 2.2 * times) / (times + 1.2 * (0.25 + (0.75 * length * documents) / total));
    const [subjects, bodies] = [6, 10 + 4 + 6 + 3 + 2];
    const expected = [10 * bm25(2, 1, 2, subjects) + bm25(1, 2, 6, bodies), 10 * bm25(2, 1, 1, subjects)];
    const raws = [3, 1].map((id) => results.find((row) => row.id === id)?.raw_score ?? 0);
    for (const [index, raw] of raws.entries()) expect(raw / (expected[index] ?? 1)).toBeCloseTo(1, 4);
    expect(first?.score).toBe(1);
    expect(second?.score).toBe(Math.round(((second?.raw_score ?? 0) / (first?.raw_score ?? 1)) * 2 ** 40) / 2 ** 40);
    expect(second?.score).toBeGreaterThan(0);
    // A single row, and equal ones.
    expect((await search('zulu')).results.map(({ score }) => score)).toEqual([1]);
  });

  it('breaks ties by id, whatever order they were written in, and finds agents and projects', { tags: ['MS-071', 'MS-072'] }, async () => {
    const equal = [30, 12, 25, 11, 28].map((id) => mail(id, 'Same', 'omega words'));
    addMails(box.db, equal);
    rig.indexer.follow();
    addMails(box.db, [mail(10, 'Same', 'omega words')]);
    rig.indexer.follow();
    expect(await ids('omega')).toEqual([10, 11, 12, 25, 28, 30]);
    expect(await ids('omega', { limit: 3 })).toEqual([10, 11, 12]);
    removeMails(box.db, [10, ...equal.map(({ id }) => id)]);
    rig.indexer.follow();
    expect(await ids('tests', { doc_kind: 'agent' })).toEqual([2]);
    expect(await ids('bo*', { doc_kind: 'agent' })).toEqual([2]);
    expect(await ids('srv', { doc_kind: 'project', project_id: 2 })).toEqual([2]);
  });

  it('finds nothing that was deleted, begins no order while it lacks a change, and goes on with its own', { tags: ['MS-044', 'MS-078'] }, async () => {
    addMails(
      box.db,
      [50, 51, 52, 53].map((id) => mail(id, 'Kappa', `kappa ${'kappa '.repeat(id - 49)}`)),
    );
    rig.indexer.follow();
    const first = await search('kappa', { limit: 2 });
    expect(first.explain?.engine).toBe('tantivy');
    removeMails(box.db, [50]);
    const fresh = await search('kappa');
    expect(fresh.explain).toMatchObject({ engine: 'fts5', mode_downgraded: false });
    expect(fresh.results.map(({ id }) => id)).not.toContain(50);
    const next = await search('kappa', { limit: 2, cursor: first.next_cursor ?? null });
    expect(next.explain).toMatchObject({ engine: 'tantivy', cursor_invalidated: false });
    expect([...first.results, ...next.results].map(({ id }) => id).sort()).toEqual(
      [51, 52, 53].concat(first.results.some(({ id }) => id === 50) ? [50] : []).sort(),
    );
    // What FTS5 began it goes on with, too.
    const pageOfFts5 = await search('kappa', { limit: 2 });
    rig.indexer.follow();
    expect((await search('kappa', { limit: 2, cursor: pageOfFts5.next_cursor ?? null })).explain).toMatchObject({ engine: 'fts5', cursor_invalidated: false });
    expect((await search('kappa')).explain?.engine).toBe('tantivy');
  });

  it('goes on behind the rank of its row where the order was not kept, beyond the hits that it looks at first', async () => {
    const many = Array.from({ length: 2300 }, (_, index) => mail(1000 + index, 'Many', `sigma ${index % 7 === 0 ? 'sigma' : 'x'}`));
    addMails(box.db, many);
    rig.indexer.follow();
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      // Nobody keeps an order for these.
      const other = searchOver(box.file, { engines: { tantivy: rig.engine } });
      const page = await other.search({ text: 'sigma', limit: 500, cursor }, null);
      other.close();
      seen.push(...page.results.map(({ id }) => id));
      cursor = page.next_cursor ?? null;
    } while (cursor !== null);
    expect(seen).toHaveLength(2300);
    const twice = many.filter((_, index) => index % 7 === 0).map(({ id }) => id);
    expect(seen).toEqual([...twice, ...many.map(({ id }) => id).filter((id) => !twice.includes(id))]);
    expect(await ids('sigma', { ranking: 'recency', limit: 3 })).toEqual([3299, 3298, 3297]);
  });
});
