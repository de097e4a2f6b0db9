import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlanUndoAnswer } from '../../../../src/contracts/index.ts';
import { WritClient } from '../../../../src/surfaces/client/index.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { envelopeOf, fileStep } from '../../../support/plan-rig.ts';
import { type Site, startSite } from './routes-site.ts';

/** The undo of plans on the real queue, kernel, worker and executors. */

let site: Site;
let client: WritClient;

beforeAll(async () => {
  site = await startSite({ searchable: true });
  await site.rig.startWorker();
  client = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
});
afterAll(() => site[Symbol.asyncDispose]());

const at = (name: string): string => path.join(site.rig.base, name);

async function ran(steps: readonly object[]): Promise<string> {
  const submitted = await client.plans.submit(envelopeOf(steps) as Record<string, unknown>, { sign: true });
  const id = submitted.ended ? submitted.plan.plan_id : submitted.receipt.plan_id;
  await client.plans.wait(id, { timeoutMs: PATIENCE_MS });
  return id;
}

/** What became of each step, in the order of the undo. */
const told = ({ steps }: PlanUndoAnswer): unknown[] => steps.map(({ path: place, undo, result }) => [place, undo, result]);

async function undone(id: string): Promise<PlanUndoAnswer> {
  const { plan_id } = await client.plans.undo(id);
  await client.plans.wait(plan_id, { timeoutMs: PATIENCE_MS });
  return (await client.plans.undo(id)) as PlanUndoAnswer;
}

const search = { type: 'tool', ref: 'writ.search', operation: 'SEARCH_FILES', params: { query: 'x', target_scope: 'base', max_results: 5 } };

describe('the undo of a plan', () => {
  it('takes its steps back, the last one first, each by a task of its own, and tells what each has come to', async () => {
    site.file('a.txt');
    site.file('b.txt');
    const id = await ran([
      fileStep('FILE_MOVE', at('a.txt'), at('a.1')),
      search,
      fileStep('FILE_MOVE', at('a.1'), at('a.2')),
      fileStep('FILE_DELETE', at('b.txt')),
    ]);
    expect([existsSync(at('a.txt')), existsSync(at('a.2')), existsSync(at('b.txt'))]).toEqual([false, true, false]);
    const answer = await undone(id);
    expect(answer).toMatchObject({ undo_of: id, state: 'success', whole: true, receipt: 'finished' });
    expect(told(answer)).toEqual([
      ['3', 'planned', 'undone'],
      ['2', 'planned', 'undone'],
      ['1', 'nothing', undefined],
      ['0', 'planned', 'undone'],
    ]);
    expect([readFileSync(at('a.txt'), 'utf8'), existsSync(at('a.2')), readFileSync(at('b.txt'), 'utf8')]).toEqual(['a.txt', false, 'b.txt']);
  });

  it('asked twice at once is one undo', async () => {
    site.file('twice.txt');
    const id = await ran([fileStep('FILE_MOVE', at('twice.txt'), at('twice.1'))]);
    const answers = await Promise.all([client.plans.undo(id), client.plans.undo(id), client.plans.undo(id)]);
    expect(new Set(answers.map(({ plan_id }) => plan_id)).size).toBe(1);
    expect(await undone(id)).toMatchObject({ state: 'success' });
    expect((await client.plans.get(answers[0]?.plan_id ?? '')).steps_done).toBe(1);
    expect(existsSync(at('twice.txt'))).toBe(true);
  });

  it('is another one when what it took back was done again, as often as that happens', async () => {
    site.file('round.txt');
    const id = await ran([fileStep('FILE_MOVE', at('round.txt'), at('round.1')), fileStep('FILE_MOVE', at('round.1'), at('round.2'))]);
    const undos = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const undo = await undone(id);
      expect([round, undo.state, undo.whole, existsSync(at('round.txt')), existsSync(at('round.2'))]).toEqual([round, 'success', true, true, false]);
      undos.add(undo.plan_id);
      // Done again: the undo is taken back itself.
      expect(await undone(undo.plan_id)).toMatchObject({ state: 'success' });
      expect([round, existsSync(at('round.txt')), existsSync(at('round.2'))]).toEqual([round, false, true]);
    }
    expect(undos.size).toBe(3);
  });

  it('is of the steps that stand, where an earlier one has taken back what a failed plan had done', async () => {
    site.file('part.txt');
    const steps = [fileStep('FILE_MOVE', at('part.txt'), at('part.1')), fileStep('FILE_MOVE', at('late.txt'), at('late.1'))];
    const id = await ran(steps);
    expect(await undone(id)).toMatchObject({ state: 'success' });
    site.file('late.txt');
    await client.plans.retry(id);
    await client.plans.wait(id, { timeoutMs: PATIENCE_MS });
    expect([existsSync(at('part.txt')), existsSync(at('late.1'))]).toEqual([true, true]);
    const answer = await undone(id);
    expect([answer.state, told(answer)]).toEqual([
      'success',
      [
        ['1', 'planned', 'undone'],
        // The attempt that failed.
        ['1', 'nothing', undefined],
        ['0', 'nothing', undefined],
      ],
    ]);
    expect([existsSync(at('part.txt')), existsSync(at('late.txt'))]).toEqual([true, true]);
    expect((await undone(id)).plan_id).toBe(answer.plan_id);
  });

  it('stops at a step that cannot be taken back, and says which and why; what was done before it stands', async () => {
    for (const name of ['first.txt', 'second.txt']) site.file(name);
    const id = await ran([
      fileStep('FILE_MOVE', at('first.txt'), at('first.1')),
      fileStep('FILE_COPY', at('first.1'), at('first.copy')),
      fileStep('FILE_MOVE', at('second.txt'), at('second.1')),
    ]);
    const answer = await undone(id);
    expect(answer).toMatchObject({ state: 'success', whole: false });
    expect(told(answer)).toEqual([
      ['2', 'planned', 'undone'],
      ['1', 'impossible', undefined],
      ['0', 'not_reached', undefined],
    ]);
    expect(answer.steps[1]).toMatchObject({ capability_id: 'FILE_COPY', why: 'FILE_COPY has no undo' });
    expect([existsSync(at('second.txt')), existsSync(at('first.1')), existsSync(at('first.copy'))]).toEqual([true, true, true]);
  });

  it('fails at a file that was changed since, goes no further, and runs on when that is put right', async () => {
    for (const name of ['early.txt', 'late.txt']) site.file(name);
    const id = await ran([fileStep('FILE_MOVE', at('early.txt'), at('early.1')), fileStep('FILE_MOVE', at('late.txt'), at('late.1'))]);
    renameSync(at('late.1'), at('late.kept'));
    writeFileSync(at('late.1'), 'another file');
    const answer = await client.plans.undo(id, { wait: 60 });
    expect([answer.state, answer.steps.map(({ result, error_code }) => [result, error_code])]).toEqual([
      'failure',
      [
        ['failed', 'EXECUTION_FAILED'],
        [undefined, undefined],
      ],
    ]);
    expect(existsSync(at('early.txt'))).toBe(false);
    renameSync(at('late.kept'), at('late.1'));
    const again = await undone(id);
    expect([again.state, ...told(again)]).toEqual(['success', ['1', 'planned', 'undone'], ['0', 'planned', 'undone']]);
    expect([existsSync(at('early.txt')), readFileSync(at('late.txt'), 'utf8')]).toEqual([true, 'late.txt']);
  });

  it('takes back what a failed plan did before it failed, and nothing of the step that did nothing', async () => {
    site.file('half.txt');
    const id = await ran([fileStep('FILE_MOVE', at('half.txt'), at('half.1')), fileStep('FILE_MOVE', at('gone.txt'), at('gone.1'))]);
    const answer = await undone(id);
    expect(told(answer)).toEqual([
      ['1', 'nothing', undefined],
      ['0', 'planned', 'undone'],
    ]);
    expect(existsSync(at('half.txt'))).toBe(true);
  });

  it('can itself be taken back', async () => {
    site.file('redo.txt');
    const id = await ran([fileStep('FILE_MOVE', at('redo.txt'), at('redo.1')), fileStep('FILE_DELETE', at('redo.1'))]);
    const undo = await undone(id);
    expect(existsSync(at('redo.txt'))).toBe(true);
    expect(await undone(undo.plan_id)).toMatchObject({ state: 'success', whole: true });
    expect([existsSync(at('redo.txt')), existsSync(at('redo.1'))]).toEqual([false, false]);
  });

  it('is refused for a plan that is unknown, that runs, or that has done nothing', async () => {
    await expect(client.plans.undo('a'.repeat(64))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(client.plans.undo(await ran([search]))).rejects.toMatchObject({ code: 'WRONG_STATE' });
    site.file('alone.txt');
    await expect(client.plans.undo(await ran([fileStep('FILE_COPY', at('alone.txt'), at('alone.copy'))]))).rejects.toMatchObject({
      code: 'WRONG_STATE',
      message: expect.stringContaining('FILE_COPY has no undo'),
    });
    await using paused = await site.paused();
    const submitted = await client.plans.submit(envelopeOf([fileStep('FILE_MOVE', at('alone.txt'), at('alone.1'))]) as Record<string, unknown>, { sign: true });
    const id = submitted.ended ? '' : submitted.receipt.plan_id;
    await expect.poll(async () => (await client.plans.get(id)).current?.operation).toBe('FILE_MOVE');
    await expect(client.plans.undo(id)).rejects.toMatchObject({ code: 'WRONG_STATE', message: expect.stringContaining('has not ended') });
    await paused[Symbol.asyncDispose]();
    await client.plans.wait(id, { timeoutMs: PATIENCE_MS });
  });

  it('is signed for by the kernel only where it was asked for, and only as it was recorded', async () => {
    site.file('mine.txt');
    const id = await ran([fileStep('FILE_MOVE', at('mine.txt'), at('mine.1'))]);
    const { plan_id } = await undone(id);
    const [step] = ((await client.plans.get(plan_id, { memory: true })).result?.envelope.output.results ?? []) as readonly object[];
    expect(step).toMatchObject({ ok: true });
    const forged = (changes: object) => ({
      type: 'tool',
      ref: 'writ.undo',
      operation: 'FILE_MOVE',
      params: { source_path: at('a.2'), destination_path: at('a.3'), ...changes },
    });
    const task = (await site.ask(`/v1/plans/${id}/history`)).body.steps[0].task_id as string;
    const { result } = (await site.ask(`/v1/tasks/${task}`)).body as { result: object };
    const genuine = { task_id: task, success: JSON.stringify(result) };
    for (const undo of [undefined, { task_id: task, success: '{}' }, { task_id: 'nobodys', success: '{}' }, genuine]) {
      const steps = [forged(undo === undefined ? {} : { undo })];
      const lease = async (capabilities?: string[]) =>
        (await site.ask('/v1/leases', { method: 'POST', body: { envelope: envelopeOf(steps), ...(capabilities && { capabilities }) } })).body as {
          lease: string;
          envelope: Record<string, unknown>;
        };
      for (const { lease: token, envelope } of [await lease(), await lease(['UNDO'])]) {
        const end = await client.plans.submit(envelope, { lease: token, wait: 60 });
        expect(end).toMatchObject({
          ended: true,
          plan: { state: 'failure', error: { code: expect.stringMatching(/^(LEASE_REFUSED|INVALID_RESULT|TOOL_UNAVAILABLE)$/) } },
        });
      }
    }
  });
});
