import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../../src/adapters/processes/program.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../chaos/evidence.ts';
import type { Told } from './long-child.ts';
import { MUTANTS } from './mutants.ts';
import { scenarioOf } from './scenario.ts';
import { explain } from './shrink.ts';
import { STATES, unnamedStates } from './states.ts';

/**
 * `npm run test:long -- simulation [histories] [first seed] [histories for a mutant]`: histories in as many processes as there are cores, then every
 * mutant until it is found. A broken promise is printed with its seed and its smallest history. Writes
 * docs/evidence/simulation.json.
 */
const HISTORIES = 1_000_000;
/** Seeds that one process is given at a time. */
const PORTION = 500;
/** A mutant that this many histories do not find has survived. */
const MUTANT_HISTORIES = 20_000;

const [histories = HISTORIES, first = 1, mutantHistories = MUTANT_HISTORIES] = process.argv.slice(2).map(Number);
const child = fileURLToPath(new URL('long-child.ts', import.meta.url));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function ask(...words: readonly (string | number)[]): Promise<Told> {
  const { stdout, exitCode } = await startProgram(process.execPath, ['--import', 'tsx', child, ...words.map(String)], {
    buffer: true,
    stderr: 'inherit',
  });
  if (exitCode !== 0 || typeof stdout !== 'string') throw new Error(`the processes of the simulation ended with ${exitCode}`);
  return JSON.parse(stdout) as Told;
}

/** Runs the jobs in as many processes as there are cores. */
async function together<T, R>(jobs: readonly T[], work: (job: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = [...jobs.entries()];
  const serve = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, serve));
  return results;
}

const began = Date.now();
const portions = Array.from({ length: Math.ceil(histories / PORTION) }, (_, at) => first + at * PORTION);
let done = 0;
const told = await together(portions, async (seed) => {
  const one = await ask('histories', seed, Math.min(PORTION, first + histories - seed));
  done += one.histories;
  say(`${done} of ${histories} histories, ${one.violations.length} of these broke a promise`);
  return one;
});
const violations = told.flatMap((one) => one.violations);
for (const { seed, invariant } of violations.slice(0, 3)) say(await explain(scenarioOf(seed), invariant));
const known: Record<string, number> = {};
const reached: Record<string, number> = {};
for (const one of told) {
  for (const [finding, times] of Object.entries(one.known)) known[finding] = (known[finding] ?? 0) + times;
  for (const [word, times] of Object.entries(one.reached)) reached[word] = (reached[word] ?? 0) + times;
}

const found = await together(MUTANTS, async ({ name }) => {
  const one = await ask('mutant', first, mutantHistories, name);
  say(one.violations.length > 0 ? `found after ${one.histories}: ${name}` : `SURVIVED ${one.histories}: ${name}`);
  return { mutant: name, found: one.violations.length > 0, histories: one.histories, breaks: one.violations[0]?.invariant ?? '' };
});
const unreached = STATES.filter((state) => reached[state] === undefined);
const unnamed = unnamedStates(Object.keys(reached));
for (const state of unreached) say(`no history reached ${state}`);
for (const state of unnamed) say(`the protocol page does not name ${state}`);

writeEvidence(evidencePath('simulation'), {
  commit: revision(),
  seed: first,
  histories: told.reduce((sum, one) => sum + one.histories, 0),
  violations: violations.length,
  mutants: { total: found.length, found: found.filter((one) => one.found).length },
  minutes: minutesSince(began),
  known,
  reached,
  unreached,
  unnamed,
  each: found,
});
if (violations.length + unreached.length + unnamed.length > 0 || found.some((one) => !one.found)) process.exitCode = 1;
