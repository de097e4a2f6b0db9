import type { ChildProcess } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, writeEvidence } from '../../scripts/evidence.ts';
import { startProgram } from '../../src/adapters/processes/program.ts';
import { scriptArgs } from '../support/compiled/script.ts';
import { compileTree, removeTree } from '../support/compiled/tree.ts';
import { scenarioOf } from './draw.ts';
import type { Told } from './long-child.ts';
import { MUTANTS } from './mutants/index.ts';
import { explain } from './shrink.ts';
import { STATES, unnamedStates } from './states.ts';
import { commitOfSources, emptyTally, evidenceOf, missing, type Tally, tallyIn, withHistories, withMutant } from './tally.ts';

/**
 * `npm run test:long -- simulation [histories] [first seed] [histories for a mutant] [--low-priority] [--anew]`: histories in as
 * many processes as there are cores, then every mutant until it is found. A broken promise is printed with its seed and its
 * smallest history. Keeps docs/evidence/simulation.json: whoever stops this and starts it again on the same sources goes on
 * where it was, and further seeds add up.
 */
const HISTORIES = 1_000_000;
/** Seeds that one process is given at a time; what is stopped loses no more than these. */
const PORTION = 10_000;
/** A mutant that this many histories do not find has survived. */
const MUTANT_HISTORIES = 20_000;
/** Young garbage is most of what a history leaves. */
const NODE_FLAGS = ['--max-semi-space-size=32'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'low-priority': { type: 'boolean' }, anew: { type: 'boolean' } } });
const [histories = HISTORIES, first = 1, mutantHistories = MUTANT_HISTORIES] = positionals.map(Number);
// Children inherit it.
if (values['low-priority']) setPriority(constants.priority.PRIORITY_LOW);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const cores = availableParallelism();
const children = new Set<Pick<ChildProcess, 'kill'>>();
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopped = true;
    for (const one of children) one.kill('SIGKILL');
  });
}

/** `undefined`: the run was stopped. */
async function ask(...words: readonly (string | number)[]): Promise<Told | undefined> {
  const child = startProgram(process.execPath, [...NODE_FLAGS, ...scriptArgs(new URL('long-child.ts', import.meta.url), words.map(String))], {
    buffer: true,
    stderr: 'inherit',
  });
  children.add(child);
  const { stdout, exitCode } = await child;
  children.delete(child);
  if (isStopped) return undefined;
  if (exitCode !== 0 || typeof stdout !== 'string') throw new Error(`the processes of the simulation ended with ${exitCode}`);
  return JSON.parse(stdout) as Told;
}

/** Does the jobs in as many processes as there are cores, until the run is stopped. */
async function together<T>(jobs: readonly T[], work: (job: T) => Promise<void>): Promise<void> {
  const waiting = [...jobs];
  const serve = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !isStopped; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: cores }, serve));
}

const file = evidencePath('simulation');
const commit = commitOfSources();
const before = values.anew ? emptyTally(commit) : tallyIn(file, commit);
let tally: Tally = before;
const began = Date.now();
const keep = (changed: Tally): void => {
  tally = { ...changed, minutes: before.minutes + minutesSince(began) };
  writeEvidence(file, evidenceOf(tally, NAMES));
};
const NAMES = MUTANTS.map(({ name }) => name);

/** The histories that no earlier run on these sources has had. */
async function runHistories(): Promise<void> {
  const portions = missing(tally.parts, { seed: first, histories }, Math.min(PORTION, Math.ceil(histories / cores)));
  let open = portions.reduce((sum, portion) => sum + portion.histories, 0);
  await together(portions, async (portion) => {
    const told = await ask('histories', portion.seed, portion.histories);
    if (told === undefined) return;
    keep(withHistories(tally, portion.seed, told));
    open -= told.histories;
    say(`${histories - open} of ${histories} histories, ${tally.broken.length} broken promises, ${(told.cpuMs / told.histories).toFixed(2)} ms each`);
  });
}

/** The mutants that no earlier run on these sources has found. */
async function runMutants(): Promise<void> {
  const open = NAMES.filter((name) => !tally.each.some(({ mutant, found }) => mutant === name && found));
  await together(open, async (mutant) => {
    const told = await ask('mutant', first, mutantHistories, mutant);
    if (told === undefined) return;
    const [broken] = told.violations;
    say(broken === undefined ? `SURVIVED ${told.histories}: ${mutant}` : `found after ${told.histories}: ${mutant}`);
    keep(withMutant(tally, { mutant, found: broken !== undefined, histories: told.histories, breaks: broken?.invariant ?? '' }));
  });
}

// A copy of the sources, so that the checkout may change meanwhile.
const tree = await compileTree();
process.env['WRIT_TEST_TREE'] = tree;
try {
  await runHistories();
  if (!isStopped) await runMutants();
} finally {
  removeTree(tree);
}

const unreached = STATES.filter((state) => tally.reached[state] === undefined);
const unnamed = unnamedStates(Object.keys(tally.reached));
writeEvidence(file, { ...evidenceOf(tally, NAMES), unreached, unnamed });
if (isStopped) {
  say('stopped; the same command goes on from here');
  process.exitCode = 130;
} else {
  for (const { seed, invariant } of tally.broken.slice(0, 3)) say(await explain(scenarioOf(seed), invariant));
  for (const state of unreached) say(`no history reached ${state}`);
  for (const state of unnamed) say(`the protocol page does not name ${state}`);
  if (tally.broken.length + unreached.length + unnamed.length > 0 || tally.each.some(({ found }) => !found)) process.exitCode = 1;
}
