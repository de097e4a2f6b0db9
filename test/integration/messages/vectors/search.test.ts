import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SearchQuery, SearchResponse } from '../../../../src/contracts/index.ts';
import type { MessageIndexEvent, MessageSearchEvent } from '../../../../src/core/ports/index.ts';
import type { Reranker } from '../../../../src/core/ports/reranker.ts';
import { createMessageSearch } from '../../../../src/messages/serving/message-search.ts';
import { createVectorKeeper } from '../../../../src/messages/serving/vectors.ts';
import { mailboxFile } from '../../../support/mailbox.ts';
import { BOX } from '../../../support/mailbox-small.ts';
import { semanticSearchOver } from '../../../support/semantic-search.ts';
import { writeEmbedder, writeReranker } from '../../../support/tiny-model.ts';

let box: ReturnType<typeof mailboxFile>;
let home: string;
const closers: (() => Promise<void> | void)[] = [];
beforeAll(() => {
  box = mailboxFile(BOX);
  home = path.dirname(box.file);
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => box.remove());

describe('a reranker', () => {
  const over = (judge: Reranker['judge'], rerankBudgetMs?: number) => {
    const search = semanticSearchOver(box.file, { reranker: { id: 'test', judge }, ...(rerankBudgetMs !== undefined && { rerankBudgetMs }) });
    closers.push(search.close);
    return search;
  };
  const query = (mode: SearchQuery['mode']) => SearchQuery.parse({ text: 'build plan', mode, explain: true });

  it('judges the first rows, and its scores are theirs', { tags: ['MS-010', 'MS-065', 'MS-069'] }, async () => {
    const seen: string[] = [];
    const search = over(async (text, texts) => {
      seen.push(text);
      return texts.map((one) => (one.includes('Build') ? -3 : 1));
    });
    const { results, explain } = await search.search(query('hybrid_rerank'), null);
    expect(seen).toEqual(['build plan']);
    expect(explain).toMatchObject({ engine: 'hybrid_rerank', actual_mode: 'hybrid_rerank', mode_downgraded: false });
    const { total_us = 0, lexical_us = 0, vector_us = 0, fusion_us = 0, rerank_us = 0 } = explain?.timing ?? {};
    expect(Object.keys(explain?.timing ?? {}).toSorted()).toEqual(['fusion_us', 'lexical_us', 'rerank_us', 'total_us', 'vector_us']);
    expect(lexical_us + vector_us + fusion_us + rerank_us).toBeLessThanOrEqual(total_us + 2);
    const { explain: fused } = await search.search(query('hybrid'), null);
    expect(Object.keys(fused?.timing ?? {}).toSorted()).toEqual(['fusion_us', 'lexical_us', 'total_us', 'vector_us']);
    const last = results.at(-1);
    expect(last).toMatchObject({ id: 1 });
    expect(last?.score).toBeCloseTo(1 / (1 + Math.exp(3)), 9);
    for (const { score } of results.slice(0, -1)) expect(score).toBeCloseTo(1 / (1 + Math.exp(-1)), 9);
  });

  it.each<readonly [string, Reranker['judge'], number | undefined, string]>([
    ['fails', () => Promise.reject(new Error('no memory')), undefined, 'rerank_failed'],
    ['answers too little', async () => [], undefined, 'rerank_failed'],
    ['answers what is no number', async (_, texts) => texts.map(() => Number.NaN), undefined, 'rerank_failed'],
    // It ends when nobody waits any more.
    ['hangs', (_, __, signal) => new Promise((___, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))), 1, 'rerank_timeout'],
  ])('that %s leaves the fused order, and says so', { tags: ['MS-010', 'MS-011', 'MS-160'] }, async (_, judge, budget, code) => {
    const search = over(judge, budget);
    const fused = await search.search(query('hybrid'), null);
    const answer = await search.search(query('hybrid_rerank'), null);
    expect(answer.results).toEqual(fused.results);
    expect(answer.explain).toMatchObject({ engine: 'hybrid', requested_mode: 'hybrid_rerank', actual_mode: 'hybrid', mode_downgraded: true });
    expect(answer.diagnostics).toMatchObject({ degraded: true, fallback_mode: code });
    expect(answer.diagnostics?.timeout_stage).toBe(code === 'rerank_timeout' ? 'rerank' : undefined);
    expect(search.events).toContainEqual(expect.objectContaining({ event: 'search.mode.downgrade', requested: 'hybrid_rerank', actual: 'hybrid' }));
    expect(SearchResponse.parse(answer)).toEqual(answer);
  });
});

describe('vectors of a server', () => {
  /** Searches as a server has them, and vectors as it keeps them. */
  function served(name: string, { model = '', reranker = '' }: { model?: string; reranker?: string } = {}, killSwitch?: 'hybrid') {
    const directory = path.join(home, name);
    const events: MessageSearchEvent[] = [];
    const search = createMessageSearch({
      file: box.file,
      vectors: { directory, model, reranker },
      ...(killSwitch && { killSwitch }),
      onEvent: (event) => events.push(event),
    });
    closers.push(() => search.stop());
    return { directory, model, search, events, ask: (query: SearchQuery) => search.search(SearchQuery.parse({ explain: true, ...query }), null) };
  }

  /** Makes the vectors in a thread, as the API does, and answers what it told on the way. */
  async function made({ directory, model }: { directory: string; model: string }): Promise<readonly MessageIndexEvent[]> {
    const events: MessageIndexEvent[] = [];
    await new Promise<void>((resolve, reject) => {
      const keeper = createVectorKeeper({
        file: box.file,
        directory,
        model,
        batch: 2,
        onFailed: (why) => reject(new Error(why)),
        onEvent(event) {
          events.push(event);
          if (events.filter((one) => one.event === 'index.rebuild.complete').length === 3) resolve();
        },
      });
      closers.push(() => keeper.stop());
      void keeper.start();
    });
    return events;
  }

  it('are made in batches with the events of an index, and then serve their modes', {
    tags: ['MS-008', 'MS-009', 'MS-020', 'MS-145', 'MS-146', 'MS-147'],
  }, async () => {
    const site = served('served', {}, 'hybrid');
    const before = await site.ask({ text: 'plan', mode: 'semantic' });
    expect(before.explain).toMatchObject({ engine: 'fts5', mode_downgraded: true });
    expect(before.diagnostics).toMatchObject({ fallback_mode: 'search_index_not_ready', search_index_state: 'not_ready' });
    const events = await made(site);
    expect(events[0]).toEqual({ event: 'index.rebuild.start', doc_count: BOX.mails.length });
    const complete = events.filter(({ event }) => event === 'index.rebuild.complete').map((event) => ('doc_count' in event ? event.doc_count : 0));
    expect(complete).toEqual([BOX.mails.length, BOX.agents.length, BOX.projects.length]);
    expect(events.filter(({ event }) => event === 'index.incremental.batch').length).toBeGreaterThan(3);
    const near = await site.ask({ text: 'build plan', mode: 'semantic' });
    expect(near.explain).toMatchObject({ engine: 'semantic', method: 'semantic', actual_mode: 'semantic', mode_downgraded: false });
    expect(near.explain?.timing?.vector_us).toBeGreaterThan(0);
    const [first] = near.results;
    const factor = { key: 'cosine', contribution: first?.score };
    expect(first).toMatchObject({ id: 1, raw_score: first?.score, reason_codes: ['semantic_cosine'], score_factors: [factor] });
    // The kill switch names the mode of those who name none.
    expect((await site.ask({ text: 'build plan' })).explain).toMatchObject({ engine: 'hybrid', requested_mode: 'hybrid', mode_downgraded: false });
    expect((await site.ask({ text: 'plan', mode: 'hybrid_rerank' })).explain).toMatchObject({
      engine: 'hybrid',
      downgrade_reason: 'hybrid_rerank: messages.reranker names no model',
    });
  });

  it('come from a model, and its cross-encoder judges them', { tags: ['MS-008', 'MS-010'] }, async () => {
    const [model, reranker] = [path.join(home, 'model'), path.join(home, 'judge')];
    writeEmbedder(model, { plan: [1, 0.2, 0], scheme: [1, 0.1, 0], nothing: [0, 0, 1] });
    writeReranker(reranker, { plan: 1, note: 0.5, build: -4 });
    const site = served('modelled', { model, reranker });
    await made(site);
    const near = await site.ask({ text: 'scheme', mode: 'semantic' });
    expect(near.explain).toMatchObject({ engine: 'semantic', mode_downgraded: false });
    expect(near.results.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4, 5]);
    const judged = await site.ask({ text: 'plan', mode: 'hybrid_rerank' });
    expect(judged.explain).toMatchObject({ engine: 'hybrid_rerank', mode_downgraded: false });
    expect(judged.results.at(-1)?.id).toBe(1);
  });

  it('are not there when the model is not: the next engine answers, with the reason', { tags: ['MS-012', 'MS-013', 'MS-161'] }, async () => {
    const model = path.join(home, 'no-model');
    mkdirSync(model);
    const site = served('unmodelled', { model });
    for (const mode of ['semantic', 'hybrid'] as const) {
      const answer = await site.ask({ text: 'plan', mode });
      expect(answer.results).toHaveLength(5);
      expect(answer.explain).toMatchObject({
        engine: 'fts5',
        mode_downgraded: true,
        downgrade_reason: `${mode}: model.onnx of the model cannot be read (ENOENT)`,
      });
    }
    // It comes later: the next search finds it.
    writeEmbedder(model, { plan: [1, 0], nothing: [0, 1] });
    await made(site);
    expect((await site.ask({ text: 'plan', mode: 'semantic' })).explain).toMatchObject({ engine: 'semantic' });
    rmSync(model, { recursive: true });
  });

  it('are not there where they are switched off', async () => {
    const search = createMessageSearch({ file: box.file });
    closers.push(() => search.stop());
    const { explain } = await search.search(SearchQuery.parse({ text: 'plan', mode: 'hybrid', explain: true }), null);
    expect(explain).toMatchObject({ engine: 'fts5', downgrade_reason: 'hybrid: messages.vectors is false' });
  });
});
