import os from 'node:os';
import { configFiles } from './config-files.ts';
import { contractFiles } from './contract-files.ts';
import { contractBreaks } from './contracts/breaks.ts';
import { dependencyProblems } from './docs/dependencies.ts';
import { docsFiles } from './docs/files.ts';
import { glossaryProblems } from './docs/glossary.ts';
import { linkProblems } from './docs/links.ts';
import { namedThings } from './docs/named-things.ts';
import { nameProblems } from './docs/names.ts';
import { driftOf } from './generated.ts';
import { houseProblems } from './house/rows.ts';
import { kernelFiles } from './kernel-files.ts';
import { lockFiles } from './lock/files.ts';
import { licenceProblems } from './lock/licences.ts';
import { readLock } from './lock/production.ts';
import { sbomProblems } from './lock/sbom.ts';
import { telemetryFiles } from './telemetry-files.ts';
import { readTraceInput, traceFiles } from './trace/files.ts';
import { traceProblems } from './trace/table.ts';

/** A static check: a tool under node_modules/.bin (or at an absolute path), or a function that answers what is wrong. */
export type Check = { readonly name: string } & (
  | { readonly tool: readonly [string, ...string[]]; readonly env?: Readonly<Record<string, string>> }
  | { readonly problems: () => readonly string[] | Promise<readonly string[]> }
);

const SOURCES = ['src', 'queues', 'processors', 'config', 'bench', 'scripts', 'test'] as const;

/**
 * The type checker is a short program in Go: half of its time went into collecting garbage of what it needs until its end. It
 * collects once it has so many bytes, a quarter of the machine's and 8 GiB at most; it needs 4.5 GiB, and below that a third more time.
 * On one core it works out once what two would each for themselves; the other has checks of its own, or the set-up.
 */
const TYPE_CHECKER = { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: String(Math.min(8 * 2 ** 30, Math.floor(os.totalmem() / 4))) };

/** All static checks, the slow ones first so that two cores end together. None of them writes anything. */
export const CHECKS: readonly Check[] = [
  // With the compiler's diagnostics (`typeCheck`): TypeScript's native port reports what `tsc --noEmit` does, in a third of the time, and the rules share its program.
  { name: 'types and lint', tool: ['oxlint', '--deny-warnings', ...SOURCES], env: TYPE_CHECKER },
  // It reads vitest.config.ts, which would measure the machine.
  { name: 'knip', tool: ['knip', '--no-progress'], env: { WRIT_TEST_SLOWNESS: '1' } },
  // It finds cycles, too: Biome's rule would walk all imports once more.
  { name: 'dependency-cruiser', tool: ['depcruise', '--config', '.dependency-cruiser.cjs', ...SOURCES, 'examples', 'vitest.config.ts'] },
  { name: 'biome', tool: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'contracts', problems: () => [...contractBreaks(contractFiles()), ...driftOf(contractFiles(), 'npm run contracts')] },
  { name: 'kernel of vectors', problems: () => driftOf(kernelFiles(), 'npm run kernel') },
  { name: 'configuration', problems: () => driftOf(configFiles(), 'npm run config:write') },
  { name: 'metrics', problems: () => driftOf(telemetryFiles(), 'npm run config:write') },
  {
    name: 'documents',
    problems: async () => [
      ...driftOf(await docsFiles(), 'npm run docs'),
      ...linkProblems(),
      ...nameProblems(await namedThings()),
      ...glossaryProblems(),
      ...dependencyProblems(),
    ],
  },
  { name: 'lock file', problems: () => driftOf(lockFiles(), 'npm run lock') },
  { name: 'bill of materials', problems: () => sbomProblems() },
  { name: 'licences', problems: () => licenceProblems(readLock()) },
  { name: 'house', problems: () => houseProblems() },
  { name: 'trace', problems: () => [...driftOf(traceFiles(), 'npm run trace'), ...traceProblems(readTraceInput())] },
];
