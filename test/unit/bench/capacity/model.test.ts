import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Costs, meanTask } from '../../../../bench/capacity/costs.ts';
import { parseLoad } from '../../../../bench/capacity/load.ts';
import { limits, needsOf, totalMicros } from '../../../../bench/capacity/model.ts';
import { needLines } from '../../../../bench/capacity/print.ts';
import { packageRoot } from '../../../../config/package.ts';

const docs = path.join(packageRoot(), 'docs');
const costs = Costs.parse(JSON.parse(readFileSync(path.join(docs, 'evidence/capacity.json'), 'utf8')));
const loadOf = (...words: string[]) => parseLoad(words).load;

describe('the capacity model', () => {
  it('says what the worked example of docs/capacity.md says', () => {
    const page = readFileSync(path.join(docs, 'capacity.md'), 'utf8');
    const [, command = ''] = /npm run capacity -- (--costs docs\/evidence\/capacity\.json .*)$/m.exec(page) ?? [];
    const { load } = parseLoad(command.trim().split(/\s+/));
    expect(page).toContain(needLines(load, needsOf(load, costs)).join('\n'));
  });

  it('needs twice as much of what is busy for twice the load', () => {
    const [one, two] = [loadOf('--tasks-per-second', '5000'), loadOf('--tasks-per-second', '10000')].map((load) => needsOf(load, costs));
    expect(two?.cores.workers).toBeCloseTo(2 * (one?.cores.workers ?? 0), 6);
    expect(two?.diskBytes.journals).toBeCloseTo(2 * (one?.diskBytes.journals ?? 0), 0);
    expect(two?.setup.workers).toBeGreaterThan(one?.setup.workers ?? 0);
  });

  it('gives a setup whose every part carries the peak, unless it says that there is but one of it', () => {
    for (const words of [
      ['--tasks-per-day', '1e6'],
      ['--tasks-per-day', '1e8', '--mix', 'move=8,search=1,step=1'],
      ['--tasks-per-second', '3000', '--mix', 'content=1'],
    ]) {
      const load = loadOf(...words);
      const needs = needsOf(load, costs);
      const short = needs.limits.filter(({ tasksPerSecond }) => tasksPerSecond < needs.peakTasksPerSecond * 0.999);
      expect(short.every(({ part }) => part.includes('kernel')) && short.length <= needs.beyond.length, words.join(' ')).toBe(true);
    }
  });

  it('names the part first that gives out first, and leaves out what the mix does not use', () => {
    const setup = { workers: 1, apis: 1, masters: 1, pools: 1, cores: 2, searchSlots: 2 };
    const { mix } = loadOf('--mix', 'move=1');
    const found = limits(costs, mix, setup);
    expect(found.map(({ tasksPerSecond }) => tasksPerSecond)).toEqual(found.map(({ tasksPerSecond }) => tasksPerSecond).toSorted((a, b) => a - b));
    expect(found.some(({ part }) => part === 'search processes')).toBe(meanTask(costs, mix).search_us > 0);
    expect(found.find(({ part }) => part === 'processors')?.tasksPerSecond).toBeCloseTo((2 * 1e6) / totalMicros(costs, mix), 6);
  });

  it('weighs the kinds of a mix by their shares', () => {
    const { mix } = loadOf('--mix', 'move=3,search=1');
    const { move, search } = costs.kinds;
    expect(meanTask(costs, mix).redis_us).toBeCloseTo(0.75 * move.redis_us.median + 0.25 * search.redis_us.median, 6);
  });

  it.each([
    [['--mix', 'moves=1'], '--mix has weights of move, search, content, step, not of moves'],
    [['--mix', 'move=0'], '--mix needs a weight above 0'],
    [['--tasks-per-day', '0'], '--tasks-per-day is above 0'],
    [['--tasks-per-day', '1', '--tasks-per-second', '1'], 'not both'],
    [['--peak', '0.5'], '--peak is a number of at least 1'],
    [['--use', '1.2'], '--use is above 0 and at most 1'],
    [['--journal-days', '2', '--ledger-days', '3'], '--journal-days is at least --ledger-days'],
    [['--what'], '--what'],
  ])('refuses %j', (words, fault) => {
    expect(() => parseLoad(words)).toThrow(fault);
  });
});
