import { describe, expect, it } from 'vitest';
import { createVetoes } from '../../../../../src/content-search/ngram-index/watch/vetoes.ts';

describe('the vetoes', () => {
  it('are lifted only by a pass that began after them', () => {
    const vetoes = createVetoes();
    expect(vetoes.raise('HARD_LINK', 5)).toBe(true);
    vetoes.lift(4, true);
    expect(vetoes.up).toEqual(['HARD_LINK']);
    expect(vetoes.raise('HARD_LINK', 7)).toBe(false);
    vetoes.lift(6, true);
    expect(vetoes.up).toEqual(['HARD_LINK']);
    vetoes.lift(7, true);
    expect(vetoes.up).toEqual([]);
  });

  it.each(['WATCHER_DOWN', 'OVERFLOW', 'MOUNT', 'ELIGIBILITY', 'NOT_ARMED'] as const)('%s needs an arming that began after it', (veto) => {
    const vetoes = createVetoes();
    vetoes.armBegins();
    vetoes.raise(veto, 1);
    vetoes.armEnded();
    vetoes.lift(9, true);
    expect(vetoes.up).toEqual([veto]);
    vetoes.armBegins();
    vetoes.lift(9, true);
    expect(vetoes.up).toEqual([veto]);
    vetoes.armEnded();
    vetoes.lift(9, true);
    expect(vetoes.up).toEqual([]);
  });

  it('need no arming where watches are not relied on', () => {
    const vetoes = createVetoes();
    vetoes.raise('OVERFLOW', 1);
    vetoes.lift(1, false);
    expect(vetoes.up).toEqual([]);
  });

  it('are told by weight', () => {
    const vetoes = createVetoes();
    for (const veto of ['BACKLOG', 'HARD_LINK', 'OVERFLOW'] as const) vetoes.raise(veto, 1);
    expect(vetoes.up).toEqual(['OVERFLOW', 'HARD_LINK', 'BACKLOG']);
  });
});
