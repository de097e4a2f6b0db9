import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';
import type { GeneratedFile } from '../generated.ts';
import { parseDecisions } from './decisions.ts';
import { parseAreas, parseRequirements } from './register.ts';
import { renderTrace, type TraceInput } from './table.ts';
import { tracedTests } from './titles.ts';

/** Reads the register, the areas, all test titles and the decisions. */
export function readTraceInput(root = packageRoot()): TraceInput {
  const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
  const decisions = existsSync(path.join(root, 'docs/decisions.md')) ? parseDecisions(read('docs/decisions.md')) : [];
  return {
    requirements: parseRequirements(read('docs/requirements.tsv')),
    areas: parseAreas(read('docs/areas.tsv')),
    tests: testFiles(root).flatMap((file) => tracedTests(file, read(file))),
    decisions,
  };
}

/** docs/generated/traceability.md as it should be. */
export function traceFiles(root = packageRoot()): GeneratedFile[] {
  return [{ path: 'docs/generated/traceability.md', content: renderTrace(readTraceInput(root)) }];
}

/** Test files, and the conformance suites that test files run against every implementation of a port. */
function testFiles(root: string): string[] {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') || (name.startsWith('conformance/') && name.endsWith('.ts')))
    .map((name) => path.posix.join('test', name))
    .sort();
}
