import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../../processors/context.ts';
import { record } from '../../../processors/record.ts';
import { WritError } from '../../../src/core/errors.ts';
import { type Execution, failure } from '../../../src/core/outcome.ts';
import type { TaskRow } from '../../../src/core/ports/index.ts';
import { LEASE, MANIFEST } from '../../fixtures/authority/world.ts';
import { createWorld, DONE, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});

describe('the record of a claimed task', () => {
  let claimed: ClaimedDelivery;
  beforeEach(async () => {
    claimed = await world.claimed(await world.job());
  });
  const row = (): Promise<TaskRow | undefined> => world.ledger.row(MANIFEST.task_id);
  const FAILED: Execution = { kind: 'outcome', outcome: failure('EXECUTION_FAILED', 'the destination exists') };

  describe('an outcome', () => {
    it('is signed, closed in the journal and only then written to the ledger', async () => {
      const end = await record(claimed, DONE);
      const result = await world.signed(DONE);
      expect(end).toEqual({ kind: 'answered', status: 'SUCCESS', code: undefined, message: '', result, replayed: false });
      expect(world.steps).toEqual(['journal:SUCCESS', 'ledger:SUCCESS']);
      expect(await row()).toMatchObject({ state: 'success', result, owner: '', takeovers: 0 });
      const genuine = await world.deps.results.read(result, { taskId: MANIFEST.task_id, manifestSha256s: [LEASE.manifest_sha256] });
      expect(genuine).toMatchObject({ outcome: { status: 'SUCCESS' } });
    });

    it('that is a FAILURE is recorded with its code', async () => {
      expect(await record(claimed, FAILED)).toMatchObject({ kind: 'answered', status: 'FAILURE', code: 'EXECUTION_FAILED', message: 'the destination exists' });
      expect(world.steps).toEqual(['journal:FAILURE', 'ledger:FAILURE']);
      expect(await row()).toMatchObject({ state: 'failure', errorCode: 'EXECUTION_FAILED' });
    });

    it('reaches the ledger of an executor that keeps no journal', async () => {
      const { memory: _memory, ...executor } = world.host.executor;
      expect(await record({ ...claimed, executor }, DONE)).toMatchObject({ kind: 'answered' });
      expect(world.steps).toEqual(['ledger:SUCCESS']);
    });

    it('is not written to the ledger when the journal cannot be closed', async () => {
      const { memory } = world.host.executor;
      if (memory === undefined) throw new Error('the executor has a memory');
      const executor = { ...world.host.executor, memory: { ...memory, conclude: () => Promise.reject(new Error('the disk is full')) } };
      await expect(record({ ...claimed, executor }, DONE)).rejects.toThrow('the disk is full');
      expect(world.steps).toEqual([]);
      expect(await row()).toMatchObject({ state: 'running', owner: 'worker-1' });
    });
  });

  /** Somebody else has ended the attempt in the journal. */
  const withClosedAttempt = (): ClaimedDelivery => {
    const { memory } = world.host.executor;
    if (memory === undefined) throw new Error('the executor has a memory');
    const conclude = () => Promise.reject(new WritError('WRONG_STATE', 'the attempt is not open any more'));
    return { ...claimed, executor: { ...world.host.executor, memory: { ...memory, conclude } } };
  };

  /** Rows of the table in docs/protocol.md, section 4. */
  describe('an attempt that was ended elsewhere, while the claim is ours', () => {
    const { manifest_sha256: sha, jti } = LEASE;

    it('ends as the journal has it, also where that is doubtful under this lease', async () => {
      const result = await world.signed({ kind: 'outcome', outcome: failure('TOOL_OUTCOME_UNKNOWN', 'nobody can tell') });
      world.host.recalls.set(MANIFEST.task_id, { kind: 'doubtful', manifestSha256: sha, jti, result });
      expect(await record(withClosedAttempt(), DONE)).toMatchObject({ kind: 'answered', code: 'TOOL_OUTCOME_UNKNOWN', replayed: true });
      expect(await row()).toMatchObject({ state: 'failure', result });
    });

    it.each([
      ['was withdrawn', { kind: 'unknown' }],
      ['is another one by now', { kind: 'open', manifestSha256: sha }],
      ['was doubtful under another lease', { kind: 'doubtful', manifestSha256: sha, jti: 'another', result: '{}' }],
      ['is of another manifest', { kind: 'finished', manifestSha256: 'f'.repeat(64), result: '{}' }],
    ] as const)('and %s is no crash: the claim is given back, and whoever comes next asks anew', async (_how, recall) => {
      world.host.recalls.set(MANIFEST.task_id, recall);
      expect(await record(withClosedAttempt(), DONE)).toEqual({ kind: 'busy', why: 'the attempt was ended elsewhere' });
      expect(await row()).toMatchObject({ state: 'running', owner: '', crashes: 0 });
    });
  });

  describe('a claim that is no longer ours', () => {
    it('records nothing: the later claim answers the task', async () => {
      await world.claimElsewhere('worker-2', 'file:job-1');
      expect(await record(claimed, DONE)).toEqual({ kind: 'interrupted', reason: 'stale' });
      expect(await row()).toMatchObject({ state: 'running', epoch: 2, owner: 'worker-2' });
    });

    it('is no crash when the journal has been closed meanwhile by the one who has it now', async () => {
      const closed = withClosedAttempt();
      await world.claimElsewhere('worker-2', 'file:job-1');
      expect(await record(closed, DONE)).toEqual({ kind: 'interrupted', reason: 'stale' });
      expect(await row()).toMatchObject({ state: 'running', epoch: 2, owner: 'worker-2', crashes: 0 });
    });

    it('is answered all the same when what stands is exactly its outcome: the record was done and its answer lost', async () => {
      const { deps } = claimed;
      let answers = 0;
      const ledger: typeof deps.ledger = {
        ...deps.ledger,
        async record(request) {
          answers += 1;
          await deps.ledger.record(request);
          return deps.ledger.record(request);
        },
      };
      expect(await record({ ...claimed, deps: { ...deps, ledger } }, DONE)).toMatchObject({ kind: 'answered', status: 'SUCCESS' });
      expect(answers).toBe(1);
    });

    it('records nothing over an outcome that came first', async () => {
      await record(claimed, FAILED);
      expect(await record(claimed, DONE)).toEqual({ kind: 'interrupted', reason: 'stale' });
      expect(await row()).toMatchObject({ state: 'failure' });
    });
  });

  describe('a ledger that was lost between claim and record', () => {
    it('is rebuilt, claimed again and written', async () => {
      world.ledger.lose();
      expect(await record(claimed, DONE)).toMatchObject({ kind: 'answered', status: 'SUCCESS' });
      expect(world.steps).toEqual(['journal:SUCCESS', 'ledger:SUCCESS', 'recoverLedger', 'ledger:SUCCESS']);
      expect(await row()).toMatchObject({ state: 'success', epoch: 1 });
    });

    it('counts as written when the rebuild brought this very result back', async () => {
      const result = await world.signed(DONE);
      world.ledger.lose();
      const restored = { taskId: MANIFEST.task_id, manifestSha256: LEASE.manifest_sha256, result, exp: LEASE.exp };
      const recoverLedger = async (): Promise<void> => {
        await world.ledger.restore([restored], world.clock.now());
        await world.ledger.markGeneration('second');
      };
      expect(await record({ ...claimed, deps: { ...world.deps, recoverLedger } }, DONE)).toMatchObject({ kind: 'answered', result });
    });

    it('is stale when the rebuild brought another result back, or another claim came in between', async () => {
      world.ledger.lose();
      const other = await world.signed({ kind: 'outcome', outcome: { status: 'SUCCESS', output: { other: true }, error: null } });
      const restoreOther = async (): Promise<void> => {
        await world.ledger.restore([{ taskId: MANIFEST.task_id, manifestSha256: LEASE.manifest_sha256, result: other, exp: LEASE.exp }], world.clock.now());
        await world.ledger.markGeneration('second');
      };
      expect(await record({ ...claimed, deps: { ...world.deps, recoverLedger: restoreOther } }, DONE)).toEqual({ kind: 'interrupted', reason: 'stale' });

      world.ledger.lose();
      const claimedElsewhere = async (): Promise<void> => {
        await world.ledger.markGeneration('third');
        await world.claimElsewhere('worker-2');
      };
      expect(await record({ ...claimed, deps: { ...world.deps, recoverLedger: claimedElsewhere } }, DONE)).toEqual({ kind: 'interrupted', reason: 'stale' });
    });
  });

  describe('what the journal remembers', () => {
    it('is written back to the ledger as it is, and nothing is signed or closed', async () => {
      const result = await world.signed(FAILED);
      expect(await record(claimed, { kind: 'finished', result })).toMatchObject({ kind: 'answered', code: 'EXECUTION_FAILED', result, replayed: true });
      expect(world.steps).toEqual(['ledger:FAILURE']);
      expect(await row()).toMatchObject({ state: 'failure', result });
    });

    it('of another manifest gives the claim back and refuses the job', async () => {
      const end = await record(claimed, { kind: 'conflict' });
      expect(end).toMatchObject({ kind: 'refused', code: 'EXECUTION_FAILED', message: 'task_id already used for another manifest' });
      expect(await row()).toMatchObject({ state: 'running', owner: '' });
      expect(await world.refusal()).toBe('result' in end ? end.result : undefined);
    });
  });

  describe('a run without an outcome', () => {
    it.each(['shutdown', 'lock-lost'] as const)('gives the claim back: %s', async (reason) => {
      expect(await record(claimed, { kind: 'interrupted', reason })).toEqual({ kind: 'interrupted', reason });
      expect(await row()).toMatchObject({ state: 'running', owner: '', epoch: 1 });
      expect(world.steps).toEqual([]);
    });

    it('gives the claim back when another process may still act', async () => {
      expect(await record(claimed, { kind: 'busy', why: 'another worker has begun it' })).toEqual({ kind: 'busy', why: 'another worker has begun it' });
      expect(await row()).toMatchObject({ owner: '' });
    });

    it('leaves a later claim alone', async () => {
      await world.claimElsewhere('worker-2', 'file:job-1');
      await record(claimed, { kind: 'interrupted', reason: 'lock-lost' });
      expect(await row()).toMatchObject({ owner: 'worker-2', epoch: 2 });
    });
  });
});
