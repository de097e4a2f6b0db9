import { describe, expect, it } from 'vitest';
import type { RoleAnswer } from '../../../../../src/core/ports/index.ts';
import { createWorld } from '../world.ts';

const answer = { request: 'r', outcome: 'taken', changed: ['log.level'], restart: ['http.port'] } as const;
const worker: RoleAnswer = { role: 'worker', pid: 11, generation: 2, answer: { ...answer, changed: [...answer.changed], restart: [...answer.restart] } };

const reload = async (answers: readonly RoleAnswer[], ...args: string[]) => (await createWorld()).cli(['reload', ...args], '', { reload: async () => answers });

describe('writ reload', () => {
  it('says for each role what it took up, and what needs a restart', async () => {
    const idle: RoleAnswer = { ...worker, role: 'api', pid: 12, generation: 1, answer: { request: 'r', outcome: 'unchanged', changed: [], restart: [] } };
    expect(await reload([worker, idle, { ...idle, pid: 13, answer: 'gone' }])).toMatchObject({
      code: 0,
      out: [
        'worker (process 11) took up 1 setting, generation 2: log.level; needs a restart: http.port',
        'api (process 12) has nothing to take up',
        'api (process 13) ended meanwhile',
        '',
      ].join('\n'),
    });
    expect(JSON.parse((await reload([worker], '--json')).out)).toEqual({
      roles: [{ role: 'worker', pid: 11, generation: 2, outcome: 'taken', changed: ['log.level'], restart: ['http.port'] }],
    });
  });

  it('exits 1 when a role refused, with every reason', async () => {
    const refused: RoleAnswer = {
      ...worker,
      generation: 1,
      answer: { request: 'r', outcome: 'refused', changed: [], restart: [], problem: 'a: x\nb: y\u001b' },
    };
    expect(await reload([refused])).toMatchObject({ code: 1, out: 'worker (process 11) changed nothing: a: x\n  b: y\\u001b\n' });
  });

  it('exits 3 when a role does not answer, or none runs', async () => {
    expect(await reload([{ ...worker, answer: 'silent' }])).toMatchObject({ code: 3, out: expect.stringContaining('has not answered in time') });
    expect(await reload([{ ...worker, generation: undefined, answer: 'silent' }])).toMatchObject({ code: 3, out: expect.stringContaining('restart it') });
    expect(await reload([])).toMatchObject({ code: 3, out: 'no role runs for this data directory\n' });
  });
});
