import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';
import { codeLines, conditionalTests, declaredWith, linesOf, mirroredSources, mostConstants, onlyReexports, percentile, recursiveMkdirs } from './counts.ts';
import { productSources, testSources, unitTests } from './sources.ts';
import { readWalks, walkProblems } from './walks.ts';

/** One figure of how easy the tree is to enter. */
export interface HouseRow {
  readonly name: string;
  readonly value: number;
  /** At 54a181e, before features were places; `undefined`: not counted then. */
  readonly before: number | undefined;
  /** What the check refuses: more than `most`, less than `least`. */
  readonly most?: number;
  readonly least?: number;
}

/** Files that a reader opened at 54a181e, and opens at most. */
const WALKS = {
  a: { before: 70, most: 45 },
  b: { before: 28, most: 20 },
  c: { before: 47, most: 30 },
  d: { before: 43, most: 28 },
  e: { before: 25, most: 18 },
} as const satisfies Readonly<Record<string, Pick<HouseRow, 'before' | 'most'>>>;

/** Words that only this house used, as the ends of names. */
const PRIVATE_WORDS = ['Door', 'Wish', 'Eyes', 'Sight'];

/** Ten lines of code make a file that is rarely worth a hop. */
const SHORT = 10;

/** All figures, counted anew. */
export function houseRows(root = packageRoot()): HouseRow[] {
  const sources = productSources(root);
  const lines = sources.map(linesOf);
  const tests = unitTests(root);
  const mirrored = tests.filter(({ file }) => mirroredSources(file).some((source) => existsSync(path.join(root, source)))).length;
  const walks = new Map(readWalks(readFileSync(path.join(root, 'docs/architecture.md'), 'utf8')).map((walk) => [walk.id, walk]));
  return [
    // Refused beyond 79,825 until the layout stood (79,730 then); what is built since adds to it.
    { name: 'lines of product code', value: sum(lines), before: 79_825 },
    { name: 'source files', value: sources.length, before: 1339 },
    { name: 'lines of a file, median', value: percentile(lines, 0.5), before: 51 },
    { name: 'lines of a file, 90th percentile', value: percentile(lines, 0.9), before: 118 },
    { name: 'lines of src/bin', value: sum(sources.filter(({ file }) => file.startsWith('src/bin/')).map(linesOf)), before: 7301, most: 3499 },
    { name: 'files that only re-export', value: sources.filter(onlyReexports).length, before: 17 },
    { name: `files of at most ${SHORT} lines of code`, value: sources.filter((source) => codeLines(source).length <= SHORT).length, before: 158 },
    { name: 'names ending in Door, Wish, Eyes or Sight', value: sources.flatMap((source) => declaredWith(PRIVATE_WORDS, source)).length, before: 30, most: 0 },
    { name: 'limits called MOST', value: sources.flatMap(mostConstants).length, before: 66, most: 0 },
    { name: 'recursive mkdirs of Node', value: sources.flatMap(recursiveMkdirs).length, before: undefined, most: 0 },
    { name: 'tests that may skip themselves', value: testSources(root).flatMap(conditionalTests).length, before: undefined, most: 0 },
    { name: 'unit tests at the path of their source, per cent', value: Math.floor((100 * mirrored) / tests.length), before: 62, least: 80 },
    ...Object.entries(WALKS).map(([id, bounds]) => ({ name: `files of walk (${id})`, value: walks.get(id)?.files.length ?? 0, ...bounds, least: 1 })),
  ];
}

/** What the check refuses, one sentence each. */
export function houseProblems(root = packageRoot()): string[] {
  const walks = readWalks(readFileSync(path.join(root, 'docs/architecture.md'), 'utf8'));
  const beyond = houseRows(root).flatMap(({ name, value, most, least }) => [
    ...(most !== undefined && value > most ? [`${name}: ${value}, at most ${most}`] : []),
    ...(least !== undefined && value < least ? [`${name}: ${value}, at least ${least}`] : []),
  ]);
  return [...beyond, ...walkProblems(walks, (file) => existsSync(path.join(root, file)))];
}

/** The figures as a table for a terminal. */
export function houseTable(rows: readonly HouseRow[]): string {
  const text = (value: number | undefined): string => (value === undefined ? '' : String(value));
  const limit = ({ most, least }: HouseRow): string => (most !== undefined ? `<= ${most}` : least !== undefined ? `>= ${least}` : '');
  return rows.map((row) => `${row.name.padEnd(52)}${text(row.value).padStart(8)}  before ${text(row.before).padStart(6)}  ${limit(row)}`.trimEnd()).join('\n');
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
