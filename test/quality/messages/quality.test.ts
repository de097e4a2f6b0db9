import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeTree } from '../../support/remove-tree.ts';
import { writeCorpus } from './mailbox.ts';
import { openRankings, type Rankings } from './rankings.ts';
import { type Measured, means, measure, reportOf } from './report.ts';

const home = mkdtempSync(path.join(tmpdir(), 'writ-quality-'));
let rankings: Rankings;
let measured: Measured[];

beforeAll(async () => {
  const file = path.join(home, 'messages.sqlite');
  writeCorpus(file);
  rankings = openRankings(file);
  measured = await measure(rankings);
});
afterAll(() => {
  rankings.close();
  removeTree(home);
});

describe('the quality of message search', () => {
  it('has the measurements in docs/evidence, to the last digit', { tags: ['MS-172'] }, async () => {
    await expect(reportOf(measured)).toMatchFileSnapshot('../../../docs/evidence/message-quality.md');
  });

  it('passes the smoke gate of the quality specification on both splits: NDCG@10 of at least 0.5', { tags: ['MS-172'] }, () => {
    for (const split of ['tuning', 'held_out']) {
      expect(
        means(
          measured.filter(({ query }) => query.split === split),
          'served',
        ).ndcg.mean,
      ).toBeGreaterThanOrEqual(0.5);
    }
  });

  it('finds something relevant for every query of one word', () => {
    const empty = measured.filter(({ query, scores }) => scores.served.rr === 0 && !/\s/.test(query.text));
    expect(empty.map(({ query }) => query.text)).toEqual([]);
  });
});
