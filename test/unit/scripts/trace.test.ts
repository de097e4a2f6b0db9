import { describe, expect, it } from 'vitest';
import { areaTitle, renderDecisionIndex } from '../../../scripts/trace/decision-index.ts';
import { decisionProblems, parseDecisions } from '../../../scripts/trace/decisions.ts';
import { isFinished, parseAreas, parseRequirements } from '../../../scripts/trace/register.ts';
import { renderTrace, type TraceInput, traceProblems } from '../../../scripts/trace/table.ts';
import { tracedTests } from '../../../scripts/trace/tags.ts';

describe('tags of tests', () => {
  const idsOf = (source: string) => tracedTests('x.test.ts', source).map(({ title, ids }) => [title, ids.join(' ')]);

  it('are found in every way of writing a test', () => {
    const source = `
      it('plain', { tags: ['AA-1'] }, () => {});
      test("two", { timeout: 5, tags: ['AA-1', 'AA-2.3'] }, async () => {});
      describe('group', { tags: 'AA-4' }, () => { it.each([[1]])('row %s', { tags: ['AA-5'] }, () => {}); });
      it.concurrent(\`template \${1 + 1} text\`, { tags: ['AA-6'] }, () => {});
      it.each\`a\${1}\`('tagged', { tags: ['AA-7'] }, () => {});
    `;
    expect(idsOf(source)).toEqual([
      ['plain', 'AA-1'],
      ['two', 'AA-1 AA-2.3'],
      ['group', 'AA-4'],
      ['row %s', 'AA-5'],
      ['template … text', 'AA-6'],
      ['tagged', 'AA-7'],
    ]);
  });

  it('are not found in comments, titles, other objects and other calls', () => {
    const source = `
      // it('x', { tags: ['AA-1'] }, () => {});
      it('refuses a and [AA-1]', () => expect({ tags: ['AA-1'] }).toBe(1));
      it('has other options', { timeout: 5 }, () => {});
      note('x', { tags: ['AA-1'] });
    `;
    expect(idsOf(source)).toEqual([]);
  });
});

describe('decisions', () => {
  const page = '# Decisions\n\nIds: AA-9\n\n## D1. Moves, and `links`\nText. Ids: AA-1, AA-2.3.\n\n## D2. By hand\nManual: AA-4\n\n## D3. None\nNothing.\n';

  it('name the ids that they settle, per heading', () => {
    expect(parseDecisions({ area: 'files', markdown: page })).toEqual([
      { area: 'files', title: 'D1. Moves, and `links`', decided: ['AA-1', 'AA-2.3'], manual: [] },
      { area: 'files', title: 'D2. By hand', decided: [], manual: ['AA-4'] },
      { area: 'files', title: 'D3. None', decided: [], manual: [] },
    ]);
  });

  it('have an index, page by page, with links to their headings and the next number', () => {
    const decisions = [...parseDecisions({ area: 'files', markdown: page }), ...parseDecisions({ area: 'plans', markdown: '# P\n\n## D7. Walks\n' })];
    const areas = [
      { area: 'files', title: areaTitle('# Files: decisions\n') },
      { area: 'plans', title: areaTitle('# P\n') },
    ];
    const index = renderDecisionIndex(areas, decisions);
    expect(index.slice(index.indexOf('## '))).toBe(`## Files

- [D1. Moves, and \`links\`](files.md#d1-moves-and-links)
- [D2. By hand](files.md#d2-by-hand)
- [D3. None](files.md#d3-none)

## P

- [D7. Walks](plans.md#d7-walks)
`);
    expect(index).toContain('the next one is D8.');
  });

  it('have numbers of their own, in order within a page', () => {
    const entry = (area: string, title: string) => ({ area, title, decided: [], manual: [] });
    expect(decisionProblems([entry('a', 'D1. x'), entry('a', 'D3. y'), entry('b', 'D2. z')])).toEqual([]);
    expect(decisionProblems([entry('a', 'D2. x'), entry('a', 'D1. y'), entry('b', 'D2. z'), entry('b', 'Z')])).toEqual([
      'docs/decisions/a.md: D1 stands behind D2',
      'docs/decisions/b.md: D2 is an entry of docs/decisions/a.md, too',
      "docs/decisions/b.md: 'Z' does not begin with its number, like 'D7. '",
    ]);
  });
});

describe('the register', () => {
  it('refuses unknown levels, double ids and unclear areas', () => {
    expect(() => parseRequirements('id\tspec\tlevel\nA-1\ts\tSHALL\n')).toThrow('A-1');
    expect(() => parseRequirements('id\tspec\tlevel\nA-1\ts\tMUST\nA-1\ts\tMAY\n')).toThrow('twice');
    expect(() => parseAreas('prefix\tarea\tfinished\nA-\tx\tsoon\n')).toThrow('A-');
  });

  it('lets the longest prefix say whether an area is finished', () => {
    const areas = [
      { prefix: 'A-', finished: false },
      { prefix: 'A-B-', finished: true },
    ];
    expect([isFinished('A-1', areas), isFinished('A-B-1', areas), isFinished('C-1', areas)]).toEqual([false, true, false]);
  });
});

describe('the trace', () => {
  const input: TraceInput = {
    requirements: [
      { id: 'A-1', level: 'MUST' },
      { id: 'A-2', level: 'MUST_NOT' },
      { id: 'A-3', level: 'SHOULD' },
      { id: 'A-4', level: 'MUST' },
      { id: 'A-5', level: 'MUST' },
      { id: 'A-6', level: 'INFO' },
      { id: 'B-1', level: 'MUST' },
    ],
    areas: [
      { prefix: 'A-', finished: true },
      { prefix: 'B-', finished: false },
    ],
    tests: [
      { file: 'test/a.test.ts', title: 'does a | b', ids: ['A-1'] },
      { file: 'test/b.test.ts', title: 'does c', ids: ['A-2'] },
    ],
    decisions: [
      { area: 'files', title: 'D1. x', decided: ['A-2', 'A-4', 'A-6'], manual: [] },
      { area: 'files', title: 'D2. y', decided: [], manual: ['A-5'] },
    ],
  };

  it('has one row per requirement with its state and its evidence', () => {
    const rows = renderTrace(input)
      .split('\n')
      .filter((line) => /^\| [AB]-/.test(line));
    expect(rows).toEqual([
      '| A-1 | tested | `test/a.test.ts` does a \\| b |',
      '| A-2 | decided | [D1. x](../decisions/files.md#d1-x); `test/b.test.ts` does c |',
      '| A-3 | uncovered |  |',
      '| A-4 | uncovered | [D1. x](../decisions/files.md#d1-x) |',
      '| A-5 | manual | [D2. y](../decisions/files.md#d2-y) |',
      '| A-6 | decided | [D1. x](../decisions/files.md#d1-x) |',
      '| B-1 | uncovered |  |',
    ]);
  });

  it('refuses a MUST of a finished area without evidence, and a decision whose replacing rule no test shows', () => {
    expect(traceProblems(input)).toEqual(['A-4 (MUST) is uncovered: its decision needs a test of the replacing rule']);
    expect(traceProblems({ ...input, tests: [] }).map((problem) => problem.slice(0, 3))).toEqual(['A-1', 'A-2', 'A-4']);
  });

  it('refuses ids that the register does not have', () => {
    const tests = [...input.tests, { file: 'test/c.test.ts', title: 'does d', ids: ['A-99'] }];
    const decisions = [{ area: 'plans', title: 'D1. x', decided: ['A-4', 'A-98'], manual: ['A-97', 'A-5'] }];
    expect(traceProblems({ ...input, tests, decisions }).filter((problem) => problem.includes('does not have'))).toEqual([
      'test/c.test.ts "does d" names A-99, which docs/requirements.tsv does not have',
      'docs/decisions/plans.md "D1. x" names A-98, which docs/requirements.tsv does not have',
      'docs/decisions/plans.md "D1. x" names A-97, which docs/requirements.tsv does not have',
    ]);
  });
});
