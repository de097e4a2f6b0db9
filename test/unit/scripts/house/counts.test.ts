import { describe, expect, it } from 'vitest';
import {
  codeLines,
  conditionalTests,
  declaredWith,
  linesOf,
  mirroredSources,
  mostConstants,
  onlyReexports,
  percentile,
  recursiveMkdirs,
} from '../../../../scripts/house/counts.ts';

const source = (text: string) => ({ file: 'src/a.ts', text });

describe('the counts of a source', () => {
  it('tell its lines, and those that are code', () => {
    const text = "/** What it is.\n * And why.\n */\nimport a from 'a';\n\n// A reason.\nexport const b = a;\n";
    expect(linesOf(source(text))).toBe(7);
    expect(codeLines(source(text))).toEqual(["import a from 'a';", 'export const b = a;']);
  });

  it.each([
    ["export { a } from './a.ts';\nexport type { B } from './b.ts';\n", true],
    ["/** A list. */\nexport * from './a.ts';\nexport {\n  a,\n  b,\n} from './b.ts';\n", true],
    ["export { a } from './a.ts';\nexport const b = 1;\n", false],
    ["import { a } from './a.ts';\nexport { a };\n", false],
    ['', false],
  ])('say of %j that it only re-exports: %s', (text, expected) => {
    expect(onlyReexports(source(text))).toBe(expected);
  });

  it('find declared names by their last word, and no uses of them', () => {
    const text =
      'export interface TaskDoor {}\ntype Wish = TaskDoor;\nexport function openDoor(): void {}\nconst Doorway = 1;\n  const inner: KernelDoor = x;\n';
    expect(declaredWith(['Door', 'Wish'], source(text))).toEqual(['TaskDoor', 'Wish', 'openDoor']);
  });

  it('find limits under the old word once each', () => {
    expect(mostConstants(source('const MOST_ROWS = 1; const LIST_MOST = MOST_ROWS; const ALMOST = MAX_ROWS;'))).toEqual(['MOST_ROWS', 'LIST_MOST']);
  });

  it('find recursive mkdirs, which may never end', () => {
    expect(recursiveMkdirs(source('await mkdir(a, { mode: 1, recursive: true }); mkdirSync(b); rmSync(c, { recursive: true });'))).toHaveLength(1);
  });

  it('find tests that decide for themselves whether they run', () => {
    // Written apart, or this file would be one that has them.
    const [skips, runs] = ['skip', 'run'].map((word) => `${word}If`);
    const text = `describe.${skips}(a)('b'); it.concurrent.${runs}(e)('f'); collector.skip(); const ${skips} = 1;`;
    expect(conditionalTests(source(text))).toEqual([`describe.${skips}`, `it.concurrent.${runs}`]);
  });

  it('know where the source of a unit test should lie', () => {
    const sources = ['src/lease/keys.ts', 'src/lease/keys.tsx', 'lease/keys.ts'];
    expect(mirroredSources('test/unit/lease/keys.test.ts')).toEqual(sources);
    expect(mirroredSources('test/unit/lease/keys.rotation.test.ts')).toEqual(sources);
  });

  it('take the value below which a share of the values lies', () => {
    expect([percentile([3, 1, 2], 0.5), percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9), percentile([], 0.5)]).toEqual([2, 10, 0]);
  });
});
