import { describe, expect, it } from 'vitest';
import { tuiRig } from '../../../support/tui.ts';

describe('the session of the terminal screen', () => {
  it('begins with the newest messages and asks with the contract of every surface', { tags: ['MS-001'] }, async () => {
    const rig = await tuiRig();
    expect(rig.asked).toEqual([
      { text: '', doc_kind: 'message', explain: true, ranking: 'relevance', limit: 50, time_range: { min_ts: Number.MIN_SAFE_INTEGER } },
    ]);
    expect(rig.session.state().found?.results).toHaveLength(50);
  });

  it('searches for what was typed once nobody types any more', async () => {
    const rig = await tuiRig();
    for (const typed of 'locked') rig.session.press({ key: typed, typed });
    expect(rig.asked).toHaveLength(1);
    await rig.settle();
    expect(rig.asked.at(-1)).toEqual({ text: 'locked', doc_kind: 'message', explain: true, ranking: 'relevance', limit: 50 });
  });

  it('leaves the mode out for auto, so that the deterministic lexical search answers', { tags: ['MS-127'] }, async () => {
    const rig = await tuiRig();
    await rig.keys('enter', 'm');
    expect(rig.asked.at(-1)?.mode).toBe('lexical');
    await rig.keys('M');
    expect(rig.asked.at(-1)).not.toHaveProperty('mode');
  });

  it.each([
    ['i', { importance: ['urgent'] }],
    ['I', { importance: ['low'] }],
    ['a', { ack_required: true }],
    ['s', { ranking: 'recency', limit: 50 }],
    ['S', { ranking: 'recency', limit: 1000 }],
    ['d', { doc_kind: 'agent' }],
    ['p', { project_id: 1 }],
    ['m', { mode: 'lexical' }],
  ])('turns a facet with %s', async (key, wanted) => {
    const rig = await tuiRig(undefined, 'the');
    await rig.keys('enter', key);
    expect(rig.asked.at(-1)).toMatchObject(wanted);
    await rig.keys('x');
    expect(rig.asked.at(-1)).toEqual({ text: 'the', doc_kind: 'message', explain: true, ranking: 'relevance', limit: 50 });
  });

  it('narrows to the thread of the selected message and back', async () => {
    const rig = await tuiRig(undefined, 'sqlite');
    await rig.keys('enter', 't');
    expect(rig.asked.at(-1)).toMatchObject({ thread_id: 'br-107' });
    await rig.keys('t');
    expect(rig.asked.at(-1)).not.toHaveProperty('thread_id');
  });

  it('asks for all kinds one after the other, a few agents and projects first', async () => {
    const rig = await tuiRig(undefined, 'writ');
    await rig.keys('enter', 'D');
    expect(rig.asked.slice(-3).map(({ doc_kind, limit }) => [doc_kind, limit])).toEqual([
      ['project', 5],
      ['agent', 5],
      ['message', 50],
    ]);
  });

  it('fetches the next page at the end of the list, by the cursor, and keeps what is there', async () => {
    const rig = await tuiRig(undefined, 'the');
    await rig.keys('enter', 'G');
    expect(rig.asked.at(-1)).toMatchObject({ cursor: '50' });
    const { found } = rig.session.state();
    expect(found?.results.length).toBeGreaterThan(50);
    expect(new Set(found?.results.map(({ id }) => id)).size).toBe(found?.results.length);
  });

  it('turns the newest round for the oldest, and says when older ones were left out', async () => {
    const rig = await tuiRig(undefined, 'the');
    await rig.keys('enter', 'S');
    const times = rig.session.state().found?.results.map(({ created_ts = 0 }) => created_ts) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(rig.lines().join('\n')).not.toContain('Oldest first among');
    rig.play.answer = { next_cursor: 'more' };
    await rig.keys('r');
    expect(rig.lines().join('\n')).toContain('Oldest first among the newest 1000 only');
  });

  it('has one search under way and forgets all that wait but the last', async () => {
    const rig = await tuiRig();
    const before = rig.asked.length;
    rig.session.press({ key: 'enter', typed: '' });
    for (const key of ['i', 'i', 'i', 'i']) rig.session.press({ key, typed: key });
    await rig.settle();
    expect(rig.asked.slice(before).map(({ importance }) => importance)).toEqual([['urgent'], ['low']]);
  });

  it('shows a failed search as one and comes back when it works again', async () => {
    const rig = await tuiRig();
    rig.play.failure = new Error('disk on fire');
    await rig.keys('type:x');
    expect(rig.lines().join('\n')).toContain('The search failed: disk on fire');
    rig.play.failure = undefined;
    await rig.keys('backspace', 'type:lock');
    expect(rig.lines().join('\n')).not.toContain('failed');
  });

  it('quits with q from the results and with Ctrl-C from anywhere, and types q in the query', async () => {
    const rig = await tuiRig();
    await rig.keys('type:q');
    expect(rig.session.state().text).toBe('q');
    await rig.keys('ctrl+c');
    await rig.session.done;
    const other = await tuiRig();
    await other.keys('tab', 'q');
    await other.session.done;
  });
});
