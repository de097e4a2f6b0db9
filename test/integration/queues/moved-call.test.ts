import { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import type { TaskJob } from '../../../src/contracts/index.ts';
import { signLease } from '../../../src/lease/index.ts';
import { ed25519, LEASE, vectorKey } from '../../fixtures/authority/world.ts';
import { taskJob, useQueueRig } from './fixture.ts';

const at = useQueueRig();
const key = vectorKey(0, 'lease', 'kernel-1');
const leaseFor = (aud: string) => signLease({ ...LEASE, capability_id: 'TOOL_CALL', aud }, key, ed25519);
const poolOf = () => at.rig.queueName.split('@')[1] ?? '';
const call = (lease: string): TaskJob => taskJob('t', { capability_id: 'TOOL_CALL' }, lease);

it('runs a failed call under a new lease on the queue of the provider that its tool has by now', async () => {
  await at.rig.enqueue.push(call('lease'), { queue: at.rig.queueName });
  await at.rig.fail(await at.rig.fetch(), 'INVALID_LEASE: no');
  const lease = await leaseFor(`tool-crm@${poolOf()}`);
  expect(await at.rig.enqueue.retry('t', { queue: at.rig.queueName, lease })).toEqual({ kind: 'retried' });
  await using provider = closing(new Queue(`tool-crm@${poolOf()}`, { connection: at.rig.connection, prefix: QUEUE_PREFIX }));
  expect(await provider.queue.getWaiting()).toMatchObject([{ id: 't_t', data: call(lease), opts: { attempts: 1 } }]);
  expect(await at.rig.queue.getJobCounts('failed', 'waiting')).toEqual({ failed: 0, waiting: 0 });
});

it('leaves a failed job of any other task where it is', async () => {
  await at.rig.enqueue.push(taskJob('t'));
  await at.rig.fail(await at.rig.fetch());
  const lease = await leaseFor(`tool-crm@${poolOf()}`);
  expect(await at.rig.enqueue.retry('t', { lease })).toEqual({ kind: 'retried' });
  expect(await at.rig.fetch()).toMatchObject({ id: 't_t', data: taskJob('t', {}, lease) });
});

function closing(queue: Queue): { readonly queue: Queue } & AsyncDisposable {
  return { queue, [Symbol.asyncDispose]: () => queue.close() };
}
