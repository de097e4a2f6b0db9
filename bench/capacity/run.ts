import { readFileSync, writeFileSync } from 'node:fs';
import { createRandom } from '../../test/support/random.ts';
import { Costs } from './costs.ts';
import { parseLoad, type Words } from './load.ts';
import { measureCosts } from './measure.ts';
import { needsOf } from './model.ts';
import { costLines, needLines, simulatedLine, validationLines } from './print.ts';
import { simulate } from './simulate.ts';
import { SIZES, type Validation, validate } from './validate.ts';

/** Tasks of a simulation: minutes of the peak. */
const SIMULATED = 100_000;

/**
 * `npm run capacity -- --tasks-per-day 1e9 --mix move=8,search=1,step=1`: measures this machine (minutes), or takes
 * `--costs <file>`, and says what carries the load and what gives out first. docs/capacity.md has every word.
 */
const words = read();
if (words !== undefined) await run(words);

async function run({ load, costs: file, write, rounds, scale, validate: held, simulate: byChance, json }: Words): Promise<void> {
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  if (scale !== 1) tell(`not a measurement: rounds of ${scale} times their size`);
  const costs = file === undefined ? await measureCosts({ rounds, scale, tell }) : costsIn(file);
  const validations: Validation[] = [];
  if (held) for (const size of SIZES) validations.push(await validate(costs, size, scale));
  if (write !== undefined) writeFileSync(write, `${JSON.stringify({ ...costs, ...(held ? { validations } : {}) }, undefined, 1)}\n`);
  const needs = needsOf(load, costs);
  const simulated = byChance ? simulate(load, costs, needs, SIMULATED, createRandom(1)) : [];
  const lines = [...costLines(costs), '', ...validations.flatMap(validationLines), ...needLines(load, needs), ...simulated.map(simulatedLine)];
  process.stdout.write(json ? `${JSON.stringify({ load, costs, validations, needs, simulated })}\n` : `${lines.join('\n')}\n`);
}

function costsIn(file: string): Costs {
  return Costs.parse(JSON.parse(readFileSync(file, 'utf8')));
}

function read(): Words | undefined {
  try {
    return parseLoad(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
    return undefined;
  }
}
