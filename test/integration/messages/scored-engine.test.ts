import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetReader } from '../../../src/messages/engines/result-set/reader.ts';
import { createScoredEngine, type EngineScale, type ScoredEngineParts } from '../../../src/messages/engines/result-set/scored-engine.ts';
import { searchOver } from '../../support/search-service.ts';
import { smallMailbox } from '../../support/small-search.ts';

let box: ReturnType<typeof smallMailbox>;
beforeAll(() => {
  box = smallMailbox();
});
afterAll(() => box.remove());

/** A search whose engine knows these scores. */
function searching(score: ScoredEngineParts['score']) {
  const hybrid = createScoredEngine({ name: 'hybrid', tag: 'hybrid', mode: 'hybrid', database: box.reader.database, score });
  return searchOver(box.file, { engines: { hybrid } });
}

const FOUND = { score: 0, raw_score: 0 };
const RAWS: readonly (readonly [number, number])[] = [
  [1, 0.25],
  [2, 0.5],
  [3, 0.125],
  [4, 0],
];

describe('an engine that brings ids and scores', () => {
  const scales: readonly (readonly [string, EngineScale, readonly number[]])[] = [
    ['from its worst row to its best', { best: null, worst: null }, [1, 0.5, 0.25, 0]],
    ['as a share of its best row', { best: null, worst: 0 }, [1, 0.5, 0.25, 0]],
    ['as they are', { best: 1, worst: 0 }, [0.5, 0.25, 0.125, 0]],
  ];

  it.each(scales)('has them %s, in the order of scores and ids', { tags: ['MS-069'] }, async (_name, scale, scores) => {
    const rig = searching(() => ({ ok: true, value: { ids: [...RAWS.map(([id]) => id), 999], raws: [...RAWS.map(([, raw]) => raw), 0.75], scale } }));
    const { results } = await rig.search({ text: 'x', mode: 'hybrid', explain: true }, null);
    rig.close();
    // Number 999 is of no message: it moves no score.
    expect(results.map(({ id, score, raw_score }) => ({ id, score, raw_score }))).toEqual(
      [2, 1, 3, 4].map((id, index) => ({ ...FOUND, id, score: scores[index], raw_score: RAWS[id - 1]?.[1] })),
    );
  });

  it('gets the ids that filters and scope leave, and need not keep to them', async () => {
    const asked: number[][] = [];
    const rig = searching((_ask, candidates) => {
      asked.push(candidates().sort((a, b) => a - b));
      return { ok: true, value: { ids: [1, 2, 4], raws: [1, 2, 3], scale: { best: null, worst: 0 } } };
    });
    const inProject = await rig.search({ text: 'x', mode: 'hybrid', project_id: 1 }, null);
    const forMax = await rig.search({ text: 'x', mode: 'hybrid' }, { project_id: 3, agent_id: 4 });
    rig.close();
    expect(asked).toEqual([
      [1, 2, 3],
      [1, 5, 6],
    ]);
    expect(inProject.results.map(({ id }) => id)).toEqual([2, 1]);
    expect(forMax.results.map(({ id }) => id)).toEqual([1]);
  });

  it('finds nothing with no scores, scores 1 where all are alike, and takes agents too', async () => {
    for (const [raws, expected] of [
      [[], []],
      [
        [3, 3],
        [1, 1],
      ],
      [
        [0, 0],
        [1, 1],
      ],
    ] as const) {
      const rig = searching(() => ({ ok: true, value: { ids: raws.map((_, index) => index + 1), raws, scale: { best: null, worst: 0 } } }));
      const { results } = await rig.search({ text: 'x', mode: 'hybrid', doc_kind: 'agent' }, null);
      rig.close();
      expect(results.map(({ score }) => score)).toEqual(expected);
    }
  });

  it('is followed by the next one when it throws or has no database', { tags: ['MS-153'] }, async () => {
    const rig = searching(() => {
      throw new Error('the vectors are gone');
    });
    const answer = await rig.search({ text: 'plan', mode: 'hybrid', explain: true }, null);
    rig.close();
    expect(answer.results).toHaveLength(5);
    expect(answer.explain?.notes).toEqual(['engine_error: hybrid: the vectors are gone']);
    const missing = createSetReader(() => {
      throw new Error('no file');
    });
    const set = { kind: 'message', match: { by: 'filters' } } as Parameters<typeof missing.answered>[0];
    expect(missing.answered(set, () => 1)).toEqual({ ok: false, error: { kind: 'index_not_ready', message: 'no file' } });
  });
});
