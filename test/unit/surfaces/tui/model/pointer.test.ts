import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tuiRig } from '../../../../support/tui.ts';

const TITLE = /^› /;

describe('a mouse on the screen of message search', () => {
  it('selects the result on whose line it clicks, in every size, and reads it at the second click', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 40, max: 200 }), fc.integer({ min: 12, max: 60 }), fc.integer({ min: 5, max: 40 }), async (columns, rows, line) => {
        const rig = await tuiRig({ columns, rows });
        await rig.keys('enter', 'pagedown');
        const before = rig.session.state().selected;
        rig.session.point({ kind: 'click', column: 3, line });
        await rig.settle();
        const { selected, focus } = rig.session.state();
        if (selected === before) return;
        expect(rig.lines()[line]).toMatch(TITLE);
        expect(focus).toBe('results');
        rig.session.point({ kind: 'click', column: 3, line });
        expect(rig.session.state().focus).toBe('preview');
      }),
      { numRuns: 60 },
    );
  });

  it('goes to the query and to the message where it clicks on them', async () => {
    const rig = await tuiRig({ columns: 130, rows: 30 });
    await rig.keys('enter');
    rig.session.point({ kind: 'click', column: 100, line: 9 });
    expect(rig.session.state().focus).toBe('preview');
    rig.session.point({ kind: 'click', column: 12, line: 1 });
    expect(rig.session.state().focus).toBe('query');
    rig.session.point({ kind: 'click', column: 12, line: 28 });
    expect(rig.session.state().focus).toBe('query');
  });

  it('moves with its wheel what is under it, and stays in the results at their beginning', async () => {
    const rig = await tuiRig({ columns: 130, rows: 16 });
    await rig.keys('enter');
    const wheel = (kind: 'wheelUp' | 'wheelDown', column: number): void => rig.session.point({ kind, column, line: 8 });
    wheel('wheelUp', 10);
    expect(rig.session.state()).toMatchObject({ selected: 0, focus: 'results' });
    wheel('wheelDown', 10);
    wheel('wheelDown', 10);
    wheel('wheelUp', 10);
    expect(rig.session.state()).toMatchObject({ selected: 3, focus: 'results' });
    wheel('wheelDown', 100);
    expect(rig.session.state()).toMatchObject({ selected: 3, scroll: expect.any(Number) });
    await rig.keys('?');
    wheel('wheelDown', 10);
    expect(rig.session.state()).toMatchObject({ overlay: 'help', overlayTop: 3 });
  });

  it('closes no overlay and types no name', async () => {
    const rig = await tuiRig();
    await rig.keys('enter', 'w');
    for (const kind of ['click', 'wheelUp', 'wheelDown'] as const) rig.session.point({ kind, column: 5, line: 8 });
    expect(rig.session.state()).toMatchObject({ overlay: 'save' });
  });
});
