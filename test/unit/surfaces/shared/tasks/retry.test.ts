import { describe, expect, it } from 'vitest';
import { WritError } from '../../../../../src/core/errors.ts';
import { failure } from '../../../../../src/core/outcome.ts';
import { jobDataOf } from '../../../../../src/surfaces/shared/tasks/job-data.ts';
import type { OperatorServices } from '../../../../../src/surfaces/shared/tasks/operator.ts';
import { type RetryTerms, retryTask, retryTasks } from '../../../../../src/surfaces/shared/tasks/retry.ts';
import { createWorld, type World } from '../../cli/world.ts';

const IDS = ['live', 'late', 'done', 'unknown', 'waits', 'late-too', 'late'];

/** Failed tasks under leases that live and that have expired, and tasks that no retry is for. */
async function openWorld(): Promise<{ readonly world: World; readonly services: OperatorServices }> {
  const world = await createWorld();
  for (const [id, ttlS] of [
    ['live', 3600],
    ['late', 10],
    ['late-too', 10],
    ['done', 3600],
  ] as const)
    await world.push(world.manifest(id), ttlS);
  for (const id of ['live', 'late', 'late-too']) await world.work(id, failure('EXECUTION_FAILED', 'no room'));
  await world.work('done');
  world.clock.ms += 60_000;
  await world.push(world.manifest('waits'));
  const { tasks, kernel, signatures, clock } = world;
  return { world, services: { tasks, clock, regrantByDefault: true, kernel: async () => kernel, signatures: async () => signatures } };
}

async function oneByOne(terms: RetryTerms, services: OperatorServices): Promise<readonly unknown[]> {
  const ends: unknown[] = [];
  for (const id of IDS) ends.push(await retryTask(id, terms, services).catch((error: WritError) => error.code));
  return ends;
}

describe('retries of many tasks', () => {
  it.each([{}, { regrant: true }, { regrant: false }])('end as they do one by one: %o', async (terms) => {
    const [alone, together] = [await openWorld(), await openWorld()];
    const expected = await oneByOne(terms, alone.services);
    const ends = await retryTasks(IDS, terms, together.services);
    const told = ends.map((end) => (end.kind === 'retried' ? { regranted: end.regranted } : (end.error as WritError).code));
    expect(told).toEqual(expected);
    const standing = (world: World) => Promise.all(IDS.map(async (id) => (await world.tasks.enqueue.jobState(id))?.state));
    expect(await standing(together.world)).toEqual(await standing(alone.world));
  });

  it('are refused under the lease of a doubtful end, and say what is needed: its stored answer would come back', async () => {
    const { world, services } = await openWorld();
    const jti = world.signatures.peek(jobDataOf(await world.tasks.enqueue.jobState('live'))?.lease ?? '')?.jti ?? '';
    const doubtful = (of: string) => ({
      attempts: 1,
      open: undefined,
      success: undefined,
      trimmed: undefined,
      doubtful: { manifestSha256: '', jti: of, result: '' },
    });
    const under = (of: string): OperatorServices => ({ ...services, tasks: { ...services.tasks, journal: { view: async () => doubtful(of) } } });
    await expect(retryTask('live', {}, under(jti))).rejects.toMatchObject({ code: 'WRONG_STATE', message: expect.stringContaining('(--regrant)') });
    expect((await world.tasks.enqueue.jobState('live'))?.state).toBe('failed');
    // The lease in doubt is an older one: somebody has decided since.
    expect(await retryTask('live', {}, under('another'))).toEqual({ regranted: false });
    expect(await retryTask('late', {}, under('any'))).toEqual({ regranted: true });
  });

  it('run under a new lease where one is asked for after a doubtful end', async () => {
    const { services } = await openWorld();
    const view = async () => ({
      attempts: 1,
      open: undefined,
      success: undefined,
      trimmed: undefined,
      doubtful: { manifestSha256: '', jti: 'any', result: '' },
    });
    expect(await retryTask('live', { regrant: true }, { ...services, tasks: { ...services.tasks, journal: { view } } })).toEqual({ regranted: true });
  });

  it('ask the kernel once for all new leases', async () => {
    const { world, services } = await openWorld();
    await retryTasks(IDS, {}, services);
    expect(world.asked.regrant).toBe(1);
    await retryTasks(['live'], {}, services);
    expect(world.asked.regrant).toBe(1);
  });

  it('go on for tasks that need no new lease while the kernel is away', async () => {
    const { services } = await openWorld();
    const away = new WritError('KERNEL_UNAVAILABLE', 'away');
    const ends = await retryTasks(['late', 'live', 'late-too'], {}, { ...services, kernel: () => Promise.reject(away) });
    expect(ends).toEqual([
      { kind: 'refused', error: away },
      { kind: 'retried', regranted: false },
      { kind: 'refused', error: away },
    ]);
  });
});
