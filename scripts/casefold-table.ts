import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config/package.ts';

/**
 * `tsx scripts/casefold-table.ts [CaseFolding.txt]`: writes src/content-search/ngram-index/tokenize/casefold-table.ts from the file of the
 * Unicode Character Database (Debian package `unicode-data`), types C and S. Afterwards: `npx biome check --write` on it,
 * and test/fixtures/content-index/golden.py once more, whose digest of the same file a test compares.
 */
const OUTPUT = 'src/content-search/ngram-index/tokenize/casefold-table.ts';

type Pair = readonly [from: number, to: number];
type Run = [first: number, last: number, step: number, distance: number];

const source = readFileSync(process.argv[2] ?? '/usr/share/unicode/CaseFolding.txt', 'utf8');
const version = /^# CaseFolding-(\d+\.\d+\.\d+)\.txt/.exec(source)?.[1];
if (version === undefined) throw new Error('this is no CaseFolding.txt: its first line does not tell a version');
writeFileSync(path.join(packageRoot(), OUTPUT), moduleText(version, runsOf(pairsOf(source))));

function pairsOf(text: string): Pair[] {
  return [...text.matchAll(/^([\dA-F]+); [CS]; ([\dA-F]+);/gm)].map(([, from, to]) => [Number.parseInt(from ?? '', 16), Number.parseInt(to ?? '', 16)]);
}

/** Neighbours (each, or each second code point) that are folded over the same distance share a row. */
function runsOf(pairs: readonly Pair[]): Run[] {
  const runs: Run[] = [];
  for (const [from, to] of pairs) {
    const run = runs.at(-1);
    const step = run === undefined ? 0 : from - run[1];
    const isSame = run !== undefined && run[3] === to - from && (step === 1 || step === 2) && (run[0] === run[1] || run[2] === step);
    if (isSame) [run[1], run[2]] = [from, step];
    else runs.push([from, from, 1, to - from]);
  }
  return runs;
}

function moduleText(unicode: string, runs: readonly Run[]): string {
  return `// Written by scripts/casefold-table.ts from CaseFolding-${unicode}.txt (Unicode Character Database, types C and S). Not to be edited.

/** The version of Unicode whose simple case folding this is; part of the tokenizer's identity. */
export const CASE_FOLDING_VERSION = '${unicode}';

/** Four numbers a row: first code point, last code point, step, and what is to be added to fold. */
export const CASE_FOLDING_RUNS: readonly number[] = [${runs.flat().join(', ')}];
`;
}
