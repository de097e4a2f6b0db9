import { describe, expect, it } from 'vitest';
import { WritError } from '../../../../src/core/errors.ts';
import { failure } from '../../../../src/core/outcome.ts';
import type { OperatorAction, PatientAuditLog } from '../../../../src/core/ports/index.ts';
import { createWorld, type World } from './world.ts';

const said = ({ audit }: World) => audit.map(({ action, subject, outcome, detail }) => [action, subject, outcome, detail ?? {}]);
const failed = async (): Promise<World> => {
  const world = await createWorld();
  await world.push(world.manifest('bad'));
  await world.work('bad', failure('EXECUTION_FAILED', 'no'));
  await world.push(world.manifest('good'));
  await world.work('good');
  return world;
};

describe('what operators do on the command line', () => {
  it('is recorded with its end: retry, undo, cancel', async () => {
    const world = await failed();
    await world.cli(['retry', 'bad', '--regrant']);
    await world.cli(['retry', 'good']);
    await world.cli(['undo', 'good']);
    await world.cli(['cancel', 'good']);
    expect(said(world)).toEqual([
      ['task.retry', 'bad', 'asked', { regrant: true }],
      ['task.retry', 'bad', 'done', { regrant: true, regranted: true }],
      ['task.retry', 'good', 'asked', {}],
      ['task.retry', 'good', 'refused', { code: 'WRONG_STATE' }],
      ['task.undo', 'good', 'asked', {}],
      ['task.undo', 'good', 'done', {}],
      ['task.cancel', 'good', 'asked', {}],
      ['task.cancel', 'good', 'refused', { code: 'WRONG_STATE' }],
    ]);
    expect(world.audit.every(({ surface, who }) => surface === 'cli' && who === 'tester')).toBe(true);
  });

  it('is recorded for leases, by jti and never by token', async () => {
    const world = await createWorld();
    const issued = await world.cli(['lease', 'issue', '-', '--ttl', '15m', '--json'], JSON.stringify(world.manifest('a')));
    const token = String(issued.lines[0]?.['lease']);
    await world.cli(['lease', 'issue', '-'], JSON.stringify(world.manifest('h', { constraints: { hrc_required: true } })));
    await world.cli(['lease', 'revoke', token]);
    await world.cli(['lease', 'revoke', '5b1f8a4e-9f5c-4c1f-8f0e-3a1f0c6d2b7a']);
    expect(said(world).filter(([, , outcome]) => outcome !== 'asked')).toEqual([
      ['lease.issue', 'a', 'done', { capability_id: 'FILE_COPY', ttl: '15m' }],
      ['lease.issue', 'h', 'refused', { capability_id: 'FILE_COPY', code: 'HRC_REQUIRED' }],
      ['lease.revoke', 'jti-a', 'done', {}],
      ['lease.revoke', '5b1f8a4e-9f5c-4c1f-8f0e-3a1f0c6d2b7a', 'done', {}],
    ]);
    expect(JSON.stringify(world.audit)).not.toContain(token);
  });

  it('is not done when it cannot be recorded', async () => {
    const world = await failed();
    const audit = fullLog([]);
    for (const args of [
      ['retry', 'bad'],
      ['undo', 'good'],
      ['cancel', 'bad'],
    ]) {
      expect(await world.cli(args, '', { audit: async () => audit })).toMatchObject({ code: 3, err: expect.stringContaining('STORAGE_UNAVAILABLE') });
    }
    expect(await world.cli(['lease', 'issue', '-'], JSON.stringify(world.manifest('b')), { audit: async () => audit })).toMatchObject({ code: 3, out: '' });
    expect(world.asked).toMatchObject({ issue: 0, regrant: 0, undo: [], revoked: [] });
    expect((await world.tasks.enqueue.jobState('bad'))?.state).toBe('failed');
  });

  it('takes a right away all the same, keeps the record for later, and says so', async () => {
    const world = await failed();
    const kept: OperatorAction[] = [];
    const token = await world.lease(world.manifest('a'));
    expect(await world.cli(['lease', 'revoke', token], '', { audit: async () => fullLog(kept) })).toMatchObject({
      code: 0,
      err: expect.stringContaining('its record follows when the audit log can be written again: disk full'),
    });
    expect(world.asked.revoked).toHaveLength(1);
    expect(kept).toEqual([{ surface: 'cli', who: 'tester', action: 'lease.revoke', subject: 'jti-a', outcome: 'done' }]);
  });
});

/** A log on a full disk; what it keeps for later goes here. */
function fullLog(kept: OperatorAction[]): PatientAuditLog {
  return {
    async append() {
      throw new WritError('STORAGE_UNAVAILABLE', 'disk full');
    },
    async keepForLater(action) {
      kept.push(action);
    },
  };
}
