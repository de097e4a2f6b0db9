import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../../config/schema.ts';
import { type SearchQuery, SearchResponse } from '../../../../src/contracts/index.ts';
import type { loadTantivy, Tantivy } from '../../../../src/messages/engines/tantivy/binding.ts';
import { examineMessages } from '../../../../src/messages/serving/doctor.ts';
import { tantivyOf } from '../../../../src/messages/serving/tantivy.ts';
import { searchOver } from '../../../support/search-service.ts';
import { smallMailbox } from '../../../support/small-search.ts';
import { describeTantivy, tantivyOver } from '../../../support/tantivy.ts';

let box: ReturnType<typeof smallMailbox>;
beforeAll(() => {
  box = smallMailbox();
});
afterAll(() => box.remove());

/** A search over what the wiring of a server makes of a binding. */
function searching(root: string | null, load: typeof loadTantivy, killSwitch?: 'tantivy' | 'shadow') {
  const { engines, absent } = tantivyOf(root, box.reader.database, load);
  return searchOver(box.file, { ...(engines && { engines }), absent, ...(killSwitch && { killSwitch }) });
}

const QUERIES: readonly SearchQuery[] = [
  { text: 'plan' },
  { text: '"build plan" OR pla*', ranking: 'recency' },
  { text: 'plan', limit: 2, offset: 1 },
  { text: 'plan', mode: 'hybrid', project_id: 1 },
];

describe('without the binding', () => {
  const missing: typeof loadTantivy = () => ({ ok: false, why: 'the optional package is not installed' });

  it('FTS5 serves, which is no downgrade, unless Tantivy was ordered: then the reason is said', { tags: ['MS-014', 'MS-018', 'MS-160'] }, async () => {
    const plain = searching('/nowhere', missing);
    expect((await plain.search({ text: 'plan', explain: true }, null)).explain).toMatchObject({ engine: 'fts5', mode_downgraded: false });
    plain.close();
    const ordered = searching('/nowhere', missing, 'tantivy');
    const answer = await ordered.search({ text: 'plan', explain: true }, null);
    ordered.close();
    const reason = 'tantivy: the optional package is not installed';
    expect(answer).toMatchObject({
      explain: { engine: 'fts5', mode_downgraded: true, downgrade_reason: reason },
      diagnostics: { fallback_mode: 'mode_downgrade' },
    });
    expect(answer.results).toHaveLength(5);
    expect(ordered.events).toContainEqual({ event: 'search.mode.downgrade', requested: 'lexical', actual: 'lexical', reason });
  });

  it('a shadow says that nothing was compared', async () => {
    const rig = searching('/nowhere', missing, 'shadow');
    const { explain } = await rig.search({ text: 'plan', explain: true }, null);
    rig.close();
    expect(explain?.notes).toEqual(['shadow: nothing was compared: the optional package is not installed']);
  });

  it('or where it is switched off, the doctor says so, and warns only who asked for Tantivy', async () => {
    const places = { messages: box.file, messagesTantivy: '/nowhere' };
    const told = async (messages: object) =>
      (await examineMessages(ConfigSchema.parse({ messages }).messages, places, missing))
        .filter(({ title }) => title === 'Tantivy')
        .map(({ level, found }) => `${level}: ${found}`);
    const tantivy = true;
    expect(await told({ tantivy })).toEqual(["ok: the optional package is not installed; SQLite's full text is searched"]);
    expect(await told({ tantivy, engine: 'tantivy' })).toEqual(['warn: messages.engine is tantivy, but the optional package is not installed']);
    expect(await told({})).toEqual(["ok: messages.tantivy is false; SQLite's full text is searched"]);
    expect(await told({ engine: 'tantivy' })).toEqual(['warn: messages.engine is tantivy, but messages.tantivy is false']);
    expect(await told({ enabled: false })).toEqual(['ok: messages are off (messages.enabled)']);
    expect(tantivyOf(null, box.reader.database).absent).toEqual({ tantivy: 'messages.tantivy is false' });
  });
});

describeTantivy('a binding that throws', (tantivy: Tantivy) => {
  let rig: ReturnType<typeof tantivyOver>;
  beforeAll(() => {
    rig = tantivyOver(tantivy, box.file);
    rig.indexer.follow();
  });
  afterAll(() => rig.close());

  const broken = (name: string) => (): never => {
    throw new Error(`${name} is broken`);
  };
  const { Query, Index } = tantivy;
  const queries = {
    termQuery: Query.termQuery.bind(Query),
    phraseQuery: Query.phraseQuery.bind(Query),
    phrasePrefixQuery: Query.phrasePrefixQuery.bind(Query),
    booleanQuery: Query.booleanQuery.bind(Query),
    boostQuery: Query.boostQuery.bind(Query),
    emptyQuery: Query.emptyQuery.bind(Query),
    allQuery: Query.allQuery.bind(Query),
  };
  const query = (name: keyof typeof queries): Tantivy => ({ ...tantivy, Query: { ...queries, [name]: broken(name) } });
  /** An index whose parts are broken after it was opened. */
  const index = (change: (real: ReturnType<typeof Index.open>) => object): Tantivy => {
    const open = (directory: string) => {
      const real = Index.open(directory);
      const own = { schema: real.schema, registerTokenizer: real.registerTokenizer.bind(real), searcher: real.searcher.bind(real) };
      return { ...own, ...change(real) } as typeof real;
    };
    return { ...tantivy, Index: Object.assign(class {}, { open }) as unknown as typeof Index };
  };

  const calls: readonly (readonly [string, Tantivy])[] = [
    ['open', index(broken('open'))],
    ['registerTokenizer', index(() => ({ registerTokenizer: broken('registerTokenizer') }))],
    ['searcher', index(() => ({ searcher: broken('searcher') }))],
    ['search', index((real) => ({ searcher: () => ({ numDocs: real.searcher().numDocs, search: broken('search') }) }))],
    ['termQuery', query('termQuery')],
    ['boostQuery', query('boostQuery')],
    ['booleanQuery', query('booleanQuery')],
    [
      'TextAnalyzerBuilder',
      {
        ...tantivy,
        TextAnalyzerBuilder: class {
          constructor() {
            broken('TextAnalyzerBuilder')();
          }
        } as unknown as Tantivy['TextAnalyzerBuilder'],
      },
    ],
    ['simple', { ...tantivy, TokenizerStatic: { simple: broken('simple'), whitespace: tantivy.TokenizerStatic.whitespace } }],
  ];

  it.each(calls)('at %s is followed by FTS5, and explain says so', { tags: ['MS-155', 'MS-156', 'MS-157', 'MS-159'] }, async (name, damaged) => {
    const search = searching(rig.root, () => ({ ok: true, tantivy: damaged }), 'tantivy');
    for (const query of QUERIES) {
      const answer = await search.search({ ...query, explain: true }, null);
      expect(SearchResponse.parse(answer)).toEqual(answer);
      expect(answer.results.length).toBeGreaterThan(0);
      expect(answer.explain).toMatchObject({ engine: 'fts5', actual_mode: 'lexical', mode_downgraded: true });
      expect(answer.explain?.downgrade_reason).toContain(`${name} is broken`);
      expect(answer.diagnostics?.degraded).toBe(true);
    }
    search.close();
    expect(search.events.map(({ event }) => event)).toContain('search.mode.downgrade');
  });

  it('the doctor says how many documents there are, and when changes are missing', async () => {
    const places = { messages: box.file, messagesTantivy: rig.root };
    const told = async () =>
      (await examineMessages(ConfigSchema.parse({ messages: { tantivy: true } }).messages, places))
        .filter(({ title }) => title === 'Tantivy')
        .map(({ level, found }) => `${level}: ${found}`);
    expect(await told()).toEqual(['ok: 13 documents, up to date']);
    box.db.exec(`UPDATE messages SET subject = 'Changed' WHERE id = 6`);
    expect(await told()).toEqual(['warn: 13 documents, 1 change behind']);
    rig.indexer.follow();
    expect(await told()).toEqual(['ok: 13 documents, up to date']);
  });
});
