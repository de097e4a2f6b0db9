import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';
import type { GeneratedFile } from '../generated.ts';
import { areaTitle, renderDecisionIndex } from './decision-index.ts';
import { type DecisionPage, parseDecisions } from './decisions.ts';
import { parseAreas, parseRequirements } from './register.ts';
import { renderTrace, type TraceInput } from './table.ts';
import { tracedTests } from './tags.ts';

const DECISIONS = 'docs/decisions';

/** Reads the register, the areas, the tags of all tests, and the decisions. */
export function readTraceInput(root = packageRoot()): TraceInput {
  const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
  return {
    requirements: parseRequirements(read('docs/requirements.tsv')),
    areas: parseAreas(read('docs/areas.tsv')),
    tests: testFiles(root).flatMap((file) => tracedTests(file, read(file))),
    decisions: decisionPages(root).flatMap(parseDecisions),
  };
}

/** docs/generated/traceability.md and the index of the decisions, as they should be. */
export function traceFiles(root = packageRoot()): GeneratedFile[] {
  const input = readTraceInput(root);
  const areas = decisionPages(root).map(({ area, markdown }) => ({ area, title: areaTitle(markdown) }));
  return [
    { path: 'docs/generated/traceability.md', content: renderTrace(input) },
    { path: `${DECISIONS}/README.md`, content: renderDecisionIndex(areas, input.decisions) },
  ];
}

/** The pages of decisions, by name; the index is none of them. */
function decisionPages(root: string): DecisionPage[] {
  return readdirSync(path.join(root, DECISIONS))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => ({ area: name.slice(0, -'.md'.length), markdown: readFileSync(path.join(root, DECISIONS, name), 'utf8') }));
}

/** Test files, and the conformance suites that test files run against every implementation of a port. */
function testFiles(root: string): string[] {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') || (name.startsWith('conformance/') && name.endsWith('.ts')))
    .map((name) => path.posix.join('test', name))
    .sort();
}
