import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/core/clock.ts';
import { WritError } from '../../../../src/core/errors.ts';
import { sendAgain } from '../../../../src/webhooks/io/send-again.ts';
import { type FinishedOutcome, noticeBody, noticeId } from '../../../../src/webhooks/notice/notice.ts';
import { outboxIn } from '../../../support/webhooks.ts';

const PLACE = { event: undefined, seenAt: 0 };
const finished = (taskId: string): FinishedOutcome => ({
  taskId,
  capabilityId: 'FILE_MOVE',
  manifestSha256: 'ab',
  result: JSON.stringify({ status: 'SUCCESS', output: taskId, error: null, signature: 's' }),
  at: 1_700_000_000_000,
});
const newNotice = (taskId: string) => {
  const of = finished(taskId);
  return { id: noticeId('crm', of), endpoint: 'crm', taskId, capabilityId: of.capabilityId, at: of.at, body: noticeBody(of) };
};
const idOf = (taskId: string): string => newNotice(taskId).id;
const outcome = async ({ taskId }: { readonly taskId: string }) => finished(taskId);

describe('notices without their texts', () => {
  let directory: string;
  let outbox: Awaited<ReturnType<typeof outboxIn>>;
  beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'writ-again-'));
    // Room for one text and a half.
    outbox = await outboxIn(directory, { endpointBytes: Buffer.byteLength(newNotice('t-1').body) * 1.5 });
    await outbox.add(['t-1', 't-2', 't-3'].map(newNotice), PLACE, 1);
  });
  afterEach(async () => {
    await outbox.stop();
    rmSync(directory, { recursive: true });
  });

  async function deliver(taskId: string): Promise<void> {
    const due = (await outbox.due('crm', Date.now(), 1e9, 10)).notices.find((one) => one.taskId === taskId);
    await outbox.settle(due?.seq ?? 0, { state: 'delivered' }, Date.now());
  }

  it('are sent again with the text that they had, as soon as there is room', async () => {
    const deps = { outbox, outcome, clock: systemClock };
    expect(await sendAgain({ endpoint: 'crm' }, deps)).toEqual({ resent: 0, left: 2 });
    await deliver('t-1');
    expect(await sendAgain({ endpoint: 'crm' }, deps)).toEqual({ resent: 1, left: 1 });
    expect(await outbox.read(idOf('t-2'))).toMatchObject({ state: 'pending', body: newNotice('t-2').body });
    await expect(sendAgain({ id: idOf('t-3') }, deps)).rejects.toMatchObject({ code: 'WRONG_STATE', message: expect.stringContaining('no room') });
    await expect(sendAgain({ id: idOf('t-2') }, deps)).rejects.toMatchObject({ code: 'WRONG_STATE', message: expect.stringContaining('is pending') });
    await expect(sendAgain({ id: 'msg_0' }, deps)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await deliver('t-2');
    expect(await sendAgain({ id: idOf('t-3') }, deps)).toEqual({ resent: 1, left: 0 });
  });

  it('stay dead where the result is gone or another one, and do not stand in the way of others', async () => {
    await deliver('t-1');
    const gone = async (task: { readonly taskId: string }) =>
      task.taskId === 't-2' ? { ...finished('t-2'), result: '{"status":"FAILURE"}' } : finished(task.taskId);
    const deps = { outbox, outcome: gone, clock: systemClock };
    expect(await sendAgain({ endpoint: 'crm' }, deps)).toEqual({ resent: 1, left: 1 });
    expect(await outbox.read(idOf('t-2'))).toMatchObject({ state: 'dead', problem: expect.stringContaining('not kept any more') });
    expect(await outbox.bare({ endpoint: 'crm' }, 10)).toEqual([]);
    await expect(sendAgain({ id: idOf('t-2') }, { ...deps, outcome: async () => undefined })).rejects.toMatchObject({ code: 'WRONG_STATE' });
    // The ledger is back as it was.
    await deliver('t-3');
    expect(await sendAgain({ id: idOf('t-2') }, { ...deps, outcome })).toEqual({ resent: 1, left: 0 });
  });

  it('are not given up because Redis does not answer', async () => {
    await deliver('t-1');
    const away = () => Promise.reject(new WritError('REDIS_UNAVAILABLE', 'away'));
    await expect(sendAgain({ endpoint: 'crm' }, { outbox, outcome: away, clock: systemClock })).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    expect(await outbox.bare({ endpoint: 'crm' }, 10)).toHaveLength(2);
  });
});
