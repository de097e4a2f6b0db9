import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../scripts/evidence.ts';

/**
 * `npm run mutate:content-index [-- <group> ...]`: mutation of what decides whether a file is left out of a search. Constants
 * are most of it, and a mutant of a constant runs every test there is: so each group runs with the tests of just that.
 */
const INDEX = 'src/content-search/ngram-index';
const TESTS = 'test/unit/content-search/ngram-index';

interface Group {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

const GROUPS: Readonly<Record<string, Group>> = {
  safety: {
    mutate: ['exclusion', 'guards', 'table', 'transition', 'triggers'].map((name) => `${INDEX}/safety/${name}.ts`),
    tests: [`${TESTS}/safety/*.test.ts`],
  },
  rules: {
    mutate: ['query/gate', 'query/query-plan', 'build/same-file'].map((name) => `${INDEX}/${name}.ts`),
    tests: ['query/gate', 'query/query-plan', 'build/same-file'].map((name) => `${TESTS}/${name}.test.ts`),
  },
  tokens: {
    mutate: ['tokenizer', 'trigrams', 'trigrams-wide', 'casefold'].map((name) => `${INDEX}/tokenize/${name}.ts`),
    tests: ['tokenizer', 'trigrams', 'casefold'].map((name) => `${TESTS}/tokenize/${name}.test.ts`),
  },
  candidates: {
    mutate: [`${INDEX}/query/candidates.ts`],
    tests: ['query/candidates', 'query/damage', 'build/merge'].map((name) => `${TESTS}/${name}.test.ts`),
  },
};

/** A share of killed mutants below this one fails the run. */
const WANTED = 85;

/** Stryker's names of what became of a mutant; the others (ignored, without a compiler) count for nothing. */
const FOUND = new Set(['Killed', 'Timeout']);
const MISSED = new Set(['Survived', 'NoCoverage']);

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(GROUPS);
const started = Date.now();
const files: Record<string, { readonly mutants: number; readonly found: number; readonly score: number }> = {};
for (const name of names) {
  const group = GROUPS[name];
  if (group === undefined) throw new Error(`there is no group '${name}': ${Object.keys(GROUPS).join(', ')}`);
  for (const [file, { mutants }] of Object.entries(mutated(group).files)) {
    const found = mutants.filter(({ status }) => FOUND.has(status)).length;
    files[file] = scored(found, found + mutants.filter(({ status }) => MISSED.has(status)).length);
  }
}
const sum = (part: 'mutants' | 'found'): number => Object.values(files).reduce((all, file) => all + file[part], 0);
const total = scored(sum('found'), sum('mutants'));
const passed = total.score >= WANTED;
writeEvidence(evidencePath('content-index-mutation'), {
  suite: 'mutation of the index',
  commit: revision(),
  passed,
  groups: names,
  ...total,
  minutes: minutesSince(started),
  files,
});
process.stdout.write(`${total.found} of ${total.mutants} mutants found: ${total.score} %\n`);
process.exitCode = passed ? 0 : 1;

function mutated({ mutate, tests }: Group): Report {
  const root = packageRoot();
  const stryker = path.join(root, 'node_modules', '.bin', 'stryker');
  const { status } = spawnSync(stryker, ['run', 'config/stryker-content-index.json', '--mutate', mutate.join(',')], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, WRIT_MUTATE_TESTS: tests.join(',') },
  });
  if (status !== 0) throw new Error(`stryker ended with ${status}`);
  return JSON.parse(readFileSync(path.join(root, 'reports', 'mutation-content-index.json'), 'utf8')) as Report;
}

function scored(found: number, mutants: number): { readonly mutants: number; readonly found: number; readonly score: number } {
  return { mutants, found, score: mutants === 0 ? 100 : Math.round((found / mutants) * 10_000) / 100 };
}
