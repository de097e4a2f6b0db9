import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Costs } from '../../../../bench/capacity/costs.ts';
import { parseLoad } from '../../../../bench/capacity/load.ts';
import { needsOf } from '../../../../bench/capacity/model.ts';
import { simulatedLine } from '../../../../bench/capacity/print.ts';
import { simulate } from '../../../../bench/capacity/simulate.ts';
import { packageRoot } from '../../../../config/package.ts';
import { createRandom } from '../../../support/random.ts';

const docs = path.join(packageRoot(), 'docs');
const costs = Costs.parse(JSON.parse(readFileSync(path.join(docs, 'evidence/capacity.json'), 'utf8')));
const nothing = { median: 0, min: 0, max: 0 };
const only = (micros: number): Costs => {
  const idle = Object.fromEntries(Object.keys(costs.kinds.move).map((name) => [name, nothing])) as Costs['kinds']['move'];
  return { ...costs, kinds: { ...costs.kinds, move: { ...idle, redis_us: { median: micros, min: micros, max: micros } } } };
};
const simulated = (words: readonly string[], one: Costs, tasks: number, change: Partial<ReturnType<typeof needsOf>['setup']> = {}) => {
  const { load } = parseLoad(words);
  const needs = needsOf(load, one);
  return simulate(load, one, { ...needs, setup: { ...needs.setup, ...change } }, tasks, createRandom(7));
};

describe('the simulation of a setup', () => {
  it.each([0.3, 0.5, 0.7])('waits at one part as queueing theory says (M/M/1, used to %d)', (use) => {
    const words = ['--tasks-per-second', String(use * 1000), '--peak', '1'];
    const [one] = simulated(words, only(1000), 200_000, { masters: 1, pools: 1 });
    // The time in such a system is exponential, with this mean.
    const meanS = 0.001 / (1 - use);
    expect((one?.p50S ?? 0) / (meanS * Math.LN2)).toBeCloseTo(1, 1);
    expect((one?.p99S ?? 0) / (meanS * Math.log(100))).toBeCloseTo(1, 1);
    expect(one?.carries).toBe(true);
  });

  it('sees a setup that is too small fall behind', () => {
    const words = ['--tasks-per-second', '1200', '--peak', '1'];
    const [one] = simulated(words, only(1000), 50_000, { masters: 1, pools: 1 });
    expect([one?.carries, one?.slowest.name]).toEqual([false, 'Redis']);
    expect(one && simulatedLine(one)).toMatch(/falls behind/);
  });

  it('says what docs/capacity.md says, and the same for the same seed', () => {
    const page = readFileSync(path.join(docs, 'capacity.md'), 'utf8');
    const [, command = ''] = /npm run capacity -- (--costs docs\/evidence\/capacity\.json .*--simulate)$/m.exec(page) ?? [];
    const { load } = parseLoad(command.trim().split(/\s+/));
    const lines = simulate(load, costs, needsOf(load, costs), 100_000, createRandom(1)).map(simulatedLine);
    expect(lines).toHaveLength(2);
    expect(page).toContain(lines.join('\n'));
  });
});
