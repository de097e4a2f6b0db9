import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { connected, createConnection } from '../../../queues/connection.ts';
import { planKey } from '../../../src/adapters/redis/keys.ts';
import { openPlanSide } from '../../../src/bin/plan/plan-side.ts';
import { envelopeOf, fileStep, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';

/** Real kernel, worker, journals and Redis; the steps are the tasks of this project's own executors. */
describe('a plan', () => {
  let plans: PlanRig;
  let base: string;
  const at = (name: string): string => join(base, name);
  const file = (name: string, text = name): string => {
    writeFileSync(at(name), text);
    return at(name);
  };

  beforeAll(async () => {
    plans = await startPlanRig({ searchable: true });
    base = plans.rig.base;
    await plans.rig.startWorker();
  });
  afterAll(async () => {
    await plans[Symbol.asyncDispose]();
  });

  it('does something for each item of a search, in their order: the example of the page', async () => {
    const names = ['report-1.txt', 'report-2.txt', 'report-3.txt'];
    for (const name of names) file(name);
    // Outside of the scope that is searched.
    const sorted = join(plans.rig.otherBase, 'sorted');
    mkdirSync(sorted);
    writeFileSync(join(sorted, 'report-2.txt'), 'in the way');
    const text = readFileSync(join(packageRoot(), 'examples/plans/move-each-found.json'), 'utf8');
    const example = text.replaceAll('/srv/office-sorted', sorted).replaceAll('/srv/office', base);
    const { envelope } = await plans.run(
      JSON.parse(example.replace('"target_scope": "office"', '"target_scope": "base"').replace('"report"', '"report-"')) as object,
    );
    expect(envelope.error).toBeNull();
    expect(envelope.output.results.map(({ ok }) => ok)).toEqual([true, true, false, true]);
    expect(names.map((name) => existsSync(at(name)))).toEqual([false, true, false]);
    expect(readFileSync(join(sorted, 'report-2.txt'), 'utf8')).toBe('in the way');
  });

  it('runs its steps in order as tasks of their own, and ends with a signed result envelope', { tags: ['PE-01'] }, async () => {
    file('a.txt');
    const { view, envelope, id } = await plans.run(
      envelopeOf([
        fileStep('FILE_COPY', at('a.txt'), at('b.txt')),
        fileStep('FILE_MOVE', at('b.txt'), at('c.txt'), { save: { to: { moved: '$.data.task_id' } } }),
        fileStep('FILE_DELETE', at('a.txt')),
      ]),
    );
    expect(envelope.error).toBeNull();
    expect(envelope.output.results.map(({ ok, stepId }) => [ok, stepId])).toEqual([
      [true, '0-writ.file'],
      [true, '1-writ.file'],
      [true, '2-writ.file'],
    ]);
    expect([existsSync(at('a.txt')), existsSync(at('b.txt')), readFileSync(at('c.txt'), 'utf8')]).toEqual([false, false, 'a.txt']);
    expect(view).toMatchObject({ state: 'success', stepsDone: 3, current: undefined, error: undefined });
    expect(id).toMatch(/^[0-9a-f]{64}$/);
  });

  it('saves what a step answered, and lets a later condition look at it', { tags: ['PE-13', 'PE-14', 'PE-36'] }, async () => {
    file('found-one.txt');
    const search = (query: string) => ({
      type: 'tool',
      ref: 'writ.search',
      operation: 'SEARCH_FILES',
      params: { query, target_scope: 'base', max_results: 5 },
      save: { to: { n: '$.data.count', 'first.id': '$.data.results[0].id' } },
    });
    const steps = [
      search('found-one'),
      fileStep('FILE_COPY', at('found-one.txt'), at('copied.txt'), { when: 'memory.state.n > 0' }),
      fileStep('FILE_COPY', at('found-one.txt'), at('not-copied.txt'), { when: { path: 'memory.state.n', gt: 1 } }),
    ];
    const { envelope } = await plans.run(envelopeOf(steps));
    expect(envelope.error).toBeNull();
    expect(envelope.output.memory.state).toMatchObject({ n: 1, first: { id: 'found-one.txt' } });
    expect([existsSync(at('copied.txt')), existsSync(at('not-copied.txt'))]).toEqual([true, false]);
  });

  it('fails its job with the code of the step that ended it, runs nothing after it, and goes on from there when it is retried', async () => {
    file('first.txt');
    const plan = await plans.link(
      envelopeOf([
        fileStep('FILE_MOVE', at('first.txt'), at('moved.txt')),
        fileStep('FILE_COPY', at('missing.txt'), at('late.txt')),
        fileStep('FILE_COPY', at('moved.txt'), at('last.txt')),
      ]),
    );
    await plans.push(plan);
    const failed = await plans.ended(plan.id);
    expect(failed.view).toMatchObject({ state: 'failure', error: { code: 'EXECUTION_FAILED' } });
    expect(failed.envelope.output.results.map(({ ok }) => ok)).toEqual([true, false]);
    expect(existsSync(at('last.txt'))).toBe(false);
    expect(await plans.plans.retry('f'.repeat(64))).toBe('not-found');

    file('missing.txt');
    await expect.poll(() => plans.plans.retry(plan.id)).toBe('retried');
    const { envelope } = await plans.ended(plan.id, ({ state }) => state === 'success');
    expect(envelope.output.results.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect([readFileSync(at('late.txt'), 'utf8'), readFileSync(at('last.txt'), 'utf8')]).toEqual(['missing.txt', 'first.txt']);
  });

  it('runs the declared fallback when a step fails, once', async () => {
    file('locked.txt');
    const fallback = { type: 'tool', ref: 'writ.file', params: { action: 'FILE_MOVE', source_path: at('locked.txt'), destination_path: at('quarantine.txt') } };
    const steps = [fileStep('FILE_COPY', at('locked.txt'), at('no-such-directory/x'), { on_error: { mode: 'fallback', fallback } })];
    const { envelope } = await plans.run(envelopeOf(steps));
    expect(envelope.error).toBeNull();
    expect(envelope.output.results.map(({ ok }) => ok)).toEqual([false, true]);
    expect(existsSync(at('quarantine.txt'))).toBe(true);
  });

  it('answers the same plan again with the same bytes and no second effect', async () => {
    file('once.txt');
    const plan = await plans.link(envelopeOf([fileStep('FILE_MOVE', at('once.txt'), at('once-moved.txt'))]));
    await plans.push(plan);
    const { view } = await plans.ended(plan.id);
    file('once.txt', 'a new one');
    expect(await plans.push(plan)).toEqual({ kind: 'finished', id: plan.id, result: view.result });
    expect(readFileSync(at('once.txt'), 'utf8')).toBe('a new one');
  });

  it.each([
    ['success', 'kept.txt', undefined],
    ['failure', 'absent.txt', 'EXECUTION_FAILED'],
  ] as const)('that has ended in %s is shown with its signed end when Redis has forgotten it, by the journal of this host', async (state, source, code) => {
    file('kept.txt');
    const { id, view } = await plans.run(envelopeOf([fileStep('FILE_COPY', at(source), at(`${state}.forgotten`))]));
    const { redis, places, config, target, results } = plans.rig;
    await (await redis.client('ledger')).del(planKey(id));
    const connection = await connected(createConnection(target, 'producer'));
    const here = openPlanSide({ config, places, connection, results, signals: () => Promise.reject(new Error('nobody waits')) });
    expect(await here.view(id)).toMatchObject({ state, error: code === undefined ? undefined : { code }, result: view.result, stepsDone: 1 });
    expect(await here.cancel(id)).toBe('ended');
    await here[Symbol.asyncDispose]();
    connection.disconnect();
  });

  it('is refused without a lease for exactly this plan, and when the lease has run out, before any effect', async () => {
    file('guarded.txt');
    const steps = [fileStep('FILE_MOVE', at('guarded.txt'), at('gone.txt'))];
    const [plan, other] = [await plans.link(envelopeOf(steps)), await plans.link(envelopeOf(steps))];
    await plans.push({ ...plan, lease: other.lease });
    const redis = await plans.rig.redis.client();
    await expect.poll(async () => (await redis.hget(`{writ}:plan:p_${plan.id}`, 'failedReason')) ?? '').toContain('INVALID_LEASE');
    const late = await plans.link(envelopeOf(steps), { ttl: 1 });
    await expect.poll(() => Date.now() / 1000 > leaseExp(late.lease)).toBe(true);
    await plans.push(late);
    expect((await plans.ended(late.id)).view.error?.code).toBe('LEASE_EXPIRED');
    expect(existsSync(at('guarded.txt'))).toBe(true);
  });

  it('ends before a step that its lease does not allow', async () => {
    file('allowed.txt');
    const steps = [fileStep('FILE_COPY', at('allowed.txt'), at('allowed-copy.txt')), fileStep('FILE_DELETE', at('allowed.txt'))];
    const copyOnly = await plans.link(envelopeOf(steps), { capabilities: ['FILE_COPY'] });
    await plans.push(copyOnly);
    expect((await plans.ended(copyOnly.id)).view.error).toMatchObject({ code: 'LEASE_REFUSED' });
    expect([existsSync(at('allowed.txt')), existsSync(at('allowed-copy.txt'))]).toEqual([true, true]);
    const elsewhere = await plans.link(envelopeOf([fileStep('FILE_COPY', at('allowed.txt'), at('x.txt'))]), { scopes: [join(base, 'inner')] });
    await plans.push(elsewhere);
    expect((await plans.ended(elsewhere.id)).view.error).toMatchObject({ code: 'LEASE_REFUSED' });
    expect(existsSync(at('x.txt'))).toBe(false);
  });

  it('answers a step whose tool has no binding on this host with TOOL_UNAVAILABLE, which its policy handles', async () => {
    file('after.txt');
    const unbound = { type: 'tool', ref: 'http.webhook', operation: 'post', params: { payload: { a: 1 } }, on_error: { mode: 'continue' } };
    const { envelope } = await plans.run(envelopeOf([unbound, fileStep('FILE_COPY', at('after.txt'), at('after-copy.txt'))]));
    expect(envelope.error).toBeNull();
    expect(envelope.output.results[0]).toMatchObject({ ok: false, error: { code: 'TOOL_UNAVAILABLE' } });
    expect(readdirSync(base)).toContain('after-copy.txt');
  });
});

function leaseExp(lease: string): number {
  return JSON.parse(Buffer.from(lease.split('.')[1] ?? '', 'base64url').toString('utf8')).exp;
}
