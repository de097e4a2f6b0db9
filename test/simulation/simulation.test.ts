import { describe, expect, it } from 'vitest';
import { askProgram } from '../../src/adapters/processes/program.ts';
import { scriptArgs } from '../support/compiled/script.ts';
import { patient } from '../support/patience.ts';
import { digestOf } from './digest.ts';
import { scenarioOf } from './draw.ts';
import { explore } from './explore.ts';
import { runHistory } from './history.ts';
import type { Told } from './long-child.ts';
import { MUTANTS } from './mutants/index.ts';
import { explain, shrink } from './shrink.ts';
import { STATES, unnamedStates } from './states.ts';

/*
 * The simulation (docs/simulation.md): the real pipeline, executors, journals, ledger rules and recovery in one process,
 * under a seeded scheduler and a virtual clock, with twins of Redis, disk, files and tools. `WRIT_SIM_SEED=<seed>` runs the
 * history of one seed and prints what happened.
 */
const HISTORIES = 1200;
const LONG_CHILD = new URL('long-child.ts', import.meta.url);
/** Collecting garbage on one thread costs a tenth of the processor's time less. */
const NODE_FLAGS = ['--single-threaded-gc'];
const SEED = process.env['WRIT_SIM_SEED'];

if (SEED !== undefined) {
  describe('one history', () => {
    it('keeps every promise', async () => {
      const { lines, violations } = await runHistory(scenarioOf(Number(SEED)), { traced: true });
      process.stdout.write(`${lines.join('\n')}\n`);
      expect(violations).toEqual([]);
    });
  });
} else {
  describe('simulated histories', () => {
    it(`keep every promise, ${HISTORIES} times`, async () => {
      // A process of the long run needs a third of the time: its sources are compiled, and its errors have no stacks.
      const child = await askProgram(process.execPath, [...NODE_FLAGS, ...scriptArgs(LONG_CHILD, ['histories', '1', String(HISTORIES)])], {
        timeout: patient(120_000),
      });
      expect(child.exitCode, child.stderr).toBe(0);
      const told = JSON.parse(child.stdout) as Told;
      const reached = new Map(Object.entries(told.reached));
      expect(told.histories).toBe(HISTORIES);
      for (const { seed, invariant } of told.violations.slice(0, 1)) throw new Error(await explain(scenarioOf(seed), invariant));
      expect(unnamedStates([...reached.keys()])).toEqual([]);
      for (const kind of [
        'kill-after',
        'kill-before',
        'lost-answer',
        'error',
        'slow',
        'pause',
        'power-after',
        'power',
        'redis-loss',
        'redis-outage',
        'disk-full',
        'meddle',
      ]) {
        expect(reached.get(`fault:${kind}`) ?? 0, kind).toBeGreaterThan(10);
      }
      // Everything comes again after the retention, in one history of thirteen.
      expect(reached.get('says:trimmed') ?? 0).toBeGreaterThan(20);
      expect(reached.get('says:trimmed-plan') ?? 0).toBeGreaterThan(3);
      // The kernel keeps a schedule in one history of twenty-nine.
      expect(reached.get('firing:ended:SUCCESS') ?? 0).toBeGreaterThan(20);
      // A plan waits for somebody's word in one history of thirty-one.
      for (const word of ['approval:behind-approved', 'question:expired', 'approval:told-deny', 'approval:WRONG_STATE'])
        expect(reached.get(word) ?? 0, word).toBeGreaterThan(2);
      // Receivers are told of ends in one history of thirty-seven.
      for (const word of ['notice:delivered', 'notice:repeated', 'notice:no-room', 'notice:gone', 'fault:kill-api'])
        expect(reached.get(word) ?? 0, word).toBeGreaterThan(1);
      for (const word of ['firing:overlap', 'fault:kill-kernel', 'fault:kernel-down']) expect(reached.get(word) ?? 0, word).toBeGreaterThan(0);
    });

    it('have a name on the protocol page for each state that they reach', () => {
      expect(STATES).toEqual(expect.arrayContaining(['row:running', 'claim:takeover', 'point:M1', 'point:C4', 'point:X7', 'end:crashed', 'record:stale']));
      expect(STATES.filter((state) => state.startsWith('settle:'))).toEqual([]);
    });

    it('are the same history for the same seed, here and in a process of the long run', async () => {
      const child = await askProgram(process.execPath, scriptArgs(LONG_CHILD, ['digests', '21', '12']));
      expect(child.exitCode, child.stderr).toBe(0);
      const there: unknown = JSON.parse(child.stdout);
      const here: string[] = [];
      for (let seed = 32; seed >= 21; seed -= 1) here.unshift(await digestOf(seed));
      expect(here).toEqual(there);
      expect(new Set(here).size).toBe(12);
    });

    it('shrink to what broke the promise', async () => {
      const mutant = MUTANTS.find(({ name }) => name === 'directories are not synced');
      // The first histories that this mutant breaks need two faults together; the first from here on needs one.
      const { violations } = await explore({ first: 57, count: 400, enough: 1, seams: mutant?.seams ?? {} });
      const [[seed, [broken]] = [0, []]] = violations;
      const smallest = await shrink(scenarioOf(seed), broken?.invariant ?? '', mutant?.seams);
      expect(smallest.faults.length + smallest.calls.length).toBe(1);
      expect(await explain(smallest, broken?.invariant ?? '', mutant?.seams)).toContain(`WRIT_SIM_SEED=${seed}`);
    });
  });
}
