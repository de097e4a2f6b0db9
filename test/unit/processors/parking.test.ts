import { beforeEach, describe, expect, it } from 'vitest';
import { type Delivery, jobKey } from '../../../processors/delivery.ts';
import { parkedMs } from '../../../processors/parking.ts';
import { processTask } from '../../../processors/pipeline.ts';
import type { HandledDelivery } from '../../../processors/queue-worker.ts';
import type { TaskJob } from '../../../src/contracts/index.ts';
import { WritError } from '../../../src/core/errors.ts';
import { type Execution, failure } from '../../../src/core/outcome.ts';
import { MANIFEST } from '../../fixtures/authority/world.ts';
import { createWorld, DONE, type World } from './world.ts';

let world: World;
let job: TaskJob;
beforeEach(async () => {
  world = await createWorld();
  job = await world.job();
});

const failed = (code: Parameters<typeof failure>[0]): Execution => ({ kind: 'outcome', outcome: failure(code, 'no') });
const row = () => world.ledger.row(MANIFEST.task_id);
const woken = (): string[] => world.steps.filter((step) => step.startsWith('promote:'));

async function parkedJobs(): Promise<string[]> {
  const jobs: string[] = [];
  for await (const some of world.ledger.parked(MANIFEST.task_id)) jobs.push(...some);
  return jobs.sort();
}

/** One delivery as the queue worker makes it; `delayed`: what it does once the job is in the delayed set. */
async function deliver(jobId: string, started = 1): Promise<HandledDelivery> {
  const { delivery, running } = world.fetched(job, { jobId, started });
  try {
    return await processTask(delivery, running, { started, allowed: 1 }, world.deps);
  } finally {
    world.inFlight.end(running);
  }
}

const delayed = async ({ afterDelay }: HandledDelivery): Promise<void> => afterDelay?.();

/** Runs the task by one job, and does this while its executor is at work. */
async function during(meanwhile: () => Promise<void>, execution: Execution = DONE, jobId = 'first'): Promise<HandledDelivery> {
  world.host.run = async () => {
    await meanwhile();
    return execution;
  };
  return deliver(jobId);
}

describe('duplicates of a task that runs', () => {
  it('are parked without being looked at again, and all are woken when it has been recorded', async () => {
    const duplicates = Array.from({ length: 500 }, (_, n) => `raw-${n}`);
    await during(async () => {
      for (const jobId of duplicates) {
        const handled = await deliver(jobId);
        expect(handled.action).toMatchObject({ kind: 'delay' });
        await delayed(handled);
      }
      expect(woken()).toEqual([]);
      expect(world.inFlight.size).toBe(1);
    });
    expect(woken()).toHaveLength(500);
    for (const jobId of duplicates) expect((await deliver(jobId, 2)).action).toMatchObject({ kind: 'complete', value: { status: 'SUCCESS' } });
    expect(world.steps.filter((step) => step === 'execute')).toEqual(['execute']);
    expect(woken()).toHaveLength(500);
    expect(await parkedJobs()).toEqual([]);
  });

  it.each(['EXECUTION_FAILED', 'RESOURCE_EXHAUSTED', 'UNSUPPORTED_CAPABILITY'] as const)('are answered with its %s, and do not run it again', async (code) => {
    await during(async () => {
      for (const jobId of ['a', 'b', 'c']) await delayed(await deliver(jobId));
    }, failed(code));
    expect(woken()).toHaveLength(3);
    for (const jobId of ['a', 'b', 'c']) expect((await deliver(jobId, 2)).action).toMatchObject({ kind: 'fail', message: `${code}: no` });
    expect(world.steps.filter((step) => step === 'execute')).toEqual(['execute']);
    expect(await row()).toMatchObject({ state: 'failure', epoch: 1 });
  });

  it('are answered with the cancel that ended it', async () => {
    await during(async () => delayed(await deliver('a')), failed('EXECUTION_FAILED'));
    await world.ledger.cancel(MANIFEST.task_id, world.clock.now());
    expect((await deliver('a', 2)).action).toMatchObject({ kind: 'fail', message: 'EXECUTION_FAILED: no' });
  });

  it.each(['LEASE_EXPIRED', 'INVALID_LEASE'] as const)('are woken one after the other when it ended with %s, which was its own', async (code) => {
    await during(async () => {
      for (const jobId of ['a', 'b', 'c']) await delayed(await deliver(jobId));
    }, failed(code));
    expect(woken()).toEqual(['promote:file:a']);
    world.host.run = async () => failed(code);
    await deliver('a', 2);
    expect(woken()).toEqual(['promote:file:a', 'promote:file:b']);
    world.host.run = async () => DONE;
    await deliver('b', 2);
    expect(woken().at(-1)).toBe('promote:file:c');
    expect((await deliver('c', 2)).action).toMatchObject({ kind: 'complete' });
    expect(world.steps.filter((step) => step === 'execute')).toHaveLength(3);
  });

  it('that are not delayed any more do not keep the one from being woken whose turn it is', async () => {
    world.notDelayed.add('file:a').add('file:b');
    await during(async () => {
      for (const jobId of ['a', 'b', 'c']) await delayed(await deliver(jobId));
    }, failed('LEASE_EXPIRED'));
    expect(woken()).toEqual(['promote:file:a', 'promote:file:b', 'promote:file:c']);
  });

  it('that were retried by a person run it again, whatever they waited for before', async () => {
    await during(async () => delayed(await deliver('a')), failed('EXECUTION_FAILED'));
    world.host.run = async () => DONE;
    expect((await deliver('a', 1)).action).toMatchObject({ kind: 'complete' });
  });

  it('believe no FAILURE that the executor did not sign', async () => {
    await during(async () => delayed(await deliver('a')), failed('EXECUTION_FAILED'));
    const claim: typeof world.deps.ledger.claim = async (request) => {
      const answer = await world.ledger.claim(request);
      return answer.kind === 'failed' ? { ...answer, result: answer.result.replace('"no"', '"forged"') } : answer;
    };
    world.deps = { ...world.deps, ledger: { ...world.deps.ledger, claim } };
    world.host.run = async () => DONE;
    expect((await deliver('a', 2)).action).toMatchObject({ kind: 'complete' });
  });
});

/** Rows of the table of crash points in docs/protocol.md, section 4, Duplicates. */
describe('an older signed FAILURE that was put back over a SUCCESS', () => {
  /** The task failed once, a duplicate is parked, and the task succeeds; then somebody writes the FAILURE into its row again. */
  async function putBack(): Promise<string> {
    const failure = (await during(async () => undefined, failed('EXECUTION_FAILED'))).action;
    expect(failure).toMatchObject({ kind: 'fail' });
    const old = await row();
    await during(async () => delayed(await deliver('parked')), DONE, 'second');
    const { result = '', jobKey: key = '', manifestSha256 = '' } = (await row()) ?? {};
    world.host.recalls.set(MANIFEST.task_id, { kind: 'finished', manifestSha256, result });
    await world.ledger.discard(MANIFEST.task_id, result);
    const now = world.clock.now();
    const claim = await world.ledger.claim({ taskId: MANIFEST.task_id, manifestSha256, jobKey: key, instance: 'forger', exp: 1, now });
    if (!('epoch' in claim) || old?.result === undefined) throw new Error('nothing was put back');
    await world.ledger.record({ taskId: MANIFEST.task_id, epoch: claim.epoch, status: 'FAILURE', errorCode: old.errorCode, result: old.result, now });
    await world.ledger.park(MANIFEST.task_id, 'file:parked', 1, now);
    return result;
  }

  it('is not what a parked job is answered, because the journal knows better', { tags: ['FE-38'] }, async () => {
    const success = await putBack();
    expect((await deliver('parked', 2)).action).toMatchObject({ kind: 'complete' });
    expect(await row()).toMatchObject({ state: 'success', result: success });
  });

  it('is what a parked job is answered where no journal can be read', async () => {
    await putBack();
    world.host.recalls.delete(MANIFEST.task_id);
    expect((await deliver('parked', 2)).action).toMatchObject({ kind: 'fail', message: 'EXECUTION_FAILED: no' });
  });
});

describe('a worker that is killed while duplicates are parked', () => {
  it('before it has noted a duplicate: the job is delivered again, and parked', async () => {
    await during(async () => {
      world.deps = { ...world.deps, ledger: { ...world.deps.ledger, park: () => Promise.reject(new WritError('REDIS_UNAVAILABLE', 'gone')) } };
      await deliver('a');
      expect(await parkedJobs()).toEqual([]);
      world.deps = { ...world.deps, ledger: { ...world.deps.ledger, park: world.ledger.park } };
      await delayed(await deliver('a', 2));
    });
    expect(woken()).toEqual(['promote:file:a']);
  });

  it('before the noted job was delayed: a wake-up changes nothing, and the job is answered when it is delivered again', async () => {
    world.notDelayed.add('file:a');
    await during(async () => void (await deliver('a')));
    expect(woken()).toEqual(['promote:file:a']);
    expect((await deliver('a', 2)).action).toMatchObject({ kind: 'complete' });
  });

  it('never loses a job that was delayed while the outcome was recorded: it wakes itself', async () => {
    let late: HandledDelivery | undefined;
    await during(async () => {
      late = await deliver('a');
      await world.ledger.unpark(MANIFEST.task_id, 'file:a', 1);
    });
    expect(woken()).toEqual([]);
    if (late) await delayed(late);
    expect(woken()).toEqual(['promote:file:a']);
  });

  it('and does not come back again and again while the recorded FAILURE has not reached the delivery that ended with it', async () => {
    const { ledger } = world.deps;
    let late: HandledDelivery | undefined;
    let early: readonly string[] | undefined;
    const record: typeof ledger.record = async (request) => {
      const answer = await ledger.record(request);
      if (late === undefined) {
        late = await deliver('a');
        await delayed(late);
        early = woken();
      }
      return answer;
    };
    world.deps = { ...world.deps, ledger: { ...ledger, record } };
    await during(async () => undefined, failed('EXECUTION_FAILED'));
    expect([late?.action.kind, early]).toEqual(['delay', []]);
    await expect.poll(woken).toEqual(['promote:file:a']);
  });

  it('after the outcome was recorded, and before anybody was woken: the next delivery of its job wakes them', async () => {
    const { promote } = world.deps;
    world.deps = { ...world.deps, promote: () => Promise.reject(new WritError('REDIS_UNAVAILABLE', 'killed')) };
    await during(async () => delayed(await deliver('a')));
    world.deps = { ...world.deps, promote };
    expect(woken()).toEqual([]);
    expect((await deliver('first', 2)).action).toMatchObject({ kind: 'complete' });
    expect(woken()).toEqual(['promote:file:a']);
  });

  it('before the record, and its job is gone: a duplicate that comes back by itself finds the owner dead', async () => {
    await world.presence.beat('worker-2', 1000);
    await world.claimElsewhere('worker-2');
    await delayed(await deliver('a'));
    world.clock.advance(1001);
    expect((await deliver('a', 2)).action).toMatchObject({ kind: 'complete' });
    expect(await parkedJobs()).toEqual([]);
  });

  it('after a woken job was taken off the list: a SUCCESS answers it, and a FAILURE may be run again for it', async () => {
    await during(async () => delayed(await deliver('a')), failed('EXECUTION_FAILED'));
    await world.ledger.unpark(MANIFEST.task_id, 'file:a', 2);
    world.host.run = async () => DONE;
    expect((await deliver('a', 3)).action).toMatchObject({ kind: 'complete' });
  });

  it('and Redis with it: nobody waits, and who pushes again is served', async () => {
    await during(async () => {
      await delayed(await deliver('a'));
      world.ledger.lose();
      await world.ledger.markGeneration('new');
    });
    expect(await parkedJobs()).toEqual([]);
    expect((await deliver('a')).action).toMatchObject({ kind: 'complete' });
  });
});

describe('a duplicate of a task whose row was lost', () => {
  it('stays parked while this process works on the task', async () => {
    await during(async () => {
      world.ledger.lose();
      await world.ledger.markGeneration('new');
      await delayed(await deliver('a'));
      expect(woken()).toEqual([]);
    });
    expect(woken()).toEqual(['promote:file:a']);
  });
});

describe('the time after which a parked job comes back by itself', () => {
  const keys = Array.from({ length: 1000 }, (_, n) => `file:${n}`);

  it('is 15 to 30 s, and never the same for all', () => {
    const times = keys.map((key) => parkedMs(1, key));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(15_000);
    expect(Math.max(...times)).toBeLessThan(30_000);
    expect(new Set(times.map((ms) => Math.floor(ms / 1000))).size).toBe(15);
  });

  it('grows with their number, so that fewer than 20 come back in a second, and ends at 10 minutes', () => {
    for (const parked of [1000, 6000]) expect(keys.map((key) => parked / (parkedMs(parked, key) / 1000)).every((rate) => rate <= 20)).toBe(true);
    expect(Math.max(...keys.map((key) => parkedMs(10 ** 9, key)))).toBeLessThan(600_000);
  });
});

it('a job key names its shard only where there are several', () => {
  const delivery = { queue: 'file', jobId: 'a:b', prefix: '{writ}' } as Delivery;
  expect([jobKey(delivery), jobKey({ ...delivery, prefix: '{writ-2}' })]).toEqual(['file:a:b', '{writ-2}:file:a:b']);
});
