import { expect, it } from 'vitest';
import { SearchQuery } from '../../src/contracts/index.ts';
import { mailboxFile } from '../support/mailbox.ts';
import { randomMailbox } from '../support/mailbox-random.ts';
import { createRandom } from '../support/random.ts';
import { searchOver } from '../support/search-service.ts';
import type { MakeSearch } from './make-search.ts';
import { plainMail } from './message-engine-samples.ts';

/** All that the syntax of FTS5 has, of words that every engine knows in the same way. */
const TEXTS = [
  'graph ship',
  'graph + ship',
  'graph +ship',
  '"graph" + ship',
  '"graph"+"ship" + mail',
  'graph + "--" + ship',
  'graph + shi*',
  'gra * ship',
  '"graph" *',
  'gra* + ship',
  'graph + ship OR root + disk',
  '(graph + ship) NOT mail',
  'subject : graph',
  'SUBJECT:graph + ship',
  '"subject":graph',
  'subject:(graph OR ship)',
  'body : ( graph + ship AND NOT root )',
  'subject:(graph AND body:ship)',
  '{subject}:graph',
  '{subject body} : graph ship',
  '- subject : graph',
  '-{body}:graph',
  '^graph',
  '^ graph + ship',
  'subject:^graph',
  'ship AND ^graph',
  'NEAR(graph ship)',
  'NEAR(graph ship, 1) OR root',
  'subject:NEAR("graph" shi*, 2)',
  'NEAR',
  '"graph""ship"',
  '"--" graph "++"',
  'graph AND "--"',
  'graph NOT "--"',
  'subject:graph ship NOT body:mail OR disk AND zulu',
] as const;

/** Whatever of that an engine does not know, another one answers: what is found is always what FTS5 finds. */
export function messageSyntaxConformance(make: MakeSearch, seed: number): void {
  it(`D: everything that the syntax of FTS5 has finds the same (seed ${seed})`, { tags: ['MS-027'] }, async () => {
    const box = randomMailbox(createRandom(seed), 150);
    const { file, remove } = mailboxFile({ ...box, mails: box.mails.map(plainMail) });
    const [search, fts5] = [make(file), searchOver(file)];
    const idsBy = async (by: typeof fts5 | typeof search, text: string) => {
      const { results } = await by.search(SearchQuery.parse({ text, retry: false, limit: 1000, ranking: 'recency' }), null);
      return results.map(({ id }) => id);
    };
    const counts: number[] = [];
    for (const text of TEXTS) {
      const expected = await idsBy(fts5, text);
      expect({ text, ids: await idsBy(search, text) }).toEqual({ text, ids: expected });
      counts.push(expected.length);
    }
    // Most of them tell rows apart.
    expect(counts.filter((count) => count > 0 && count < box.mails.length).length).toBeGreaterThan(20);
    search.close();
    fts5.close();
    remove();
  });
}
