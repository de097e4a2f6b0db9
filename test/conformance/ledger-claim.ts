import { beforeEach, describe, expect, it } from 'vitest';
import { rowExpiry } from '../../src/core/ledger-life.ts';
import type { ClaimAnswer, ClaimRequest, TaskRow } from '../../src/core/ports/index.ts';
import { claimOf, EXP, FAILED, type LedgerRig, NOW, newTaskId, OTHER_SHA, RETENTION_MS, recordOf, SHA } from './ledger-rig.ts';
import { protocolTable } from './protocol-tables.ts';

const TABLE = protocolTable('Claim: answer by state');

/** What a cell of the table promises. `before` is the row that the claim meets. */
const CELLS: Readonly<Record<string, (before: TaskRow | undefined) => ClaimAnswer>> = {
  '`lost`': () => ({ kind: 'lost' }),
  '`conflict`': () => ({ kind: 'conflict' }),
  '`new`, epoch 1': () => ({ kind: 'new', epoch: 1 }),
  '`cancelled`, epoch + 1': (before) => ({ kind: 'cancelled', epoch: next(before) }),
  '`new`, epoch + 1; `cancelled` when `cancel` is set': (before) => ({ kind: before?.cancelRequested ? 'cancelled' : 'new', epoch: next(before) }),
  '`takeover`, epoch + 1, takeovers + 1; a set `cancel` stays set and is seen at the gate': (before) => ({
    kind: 'takeover',
    epoch: next(before),
    takeovers: (before?.takeovers ?? 0) + 1,
  }),
  '`takeover`, epoch + 1: no worker was lost; a set `cancel` stays set and is seen at the gate': (before) => ({
    kind: 'takeover',
    epoch: next(before),
    takeovers: before?.takeovers ?? 0,
  }),
  '`busy` with the owner': (before) => ({ kind: 'busy', owner: before?.owner ?? '' }),
  '`finished` with the stored result': (before) => ({ kind: 'finished', result: before?.result ?? '' }),
};

function next(before: TaskRow | undefined): number {
  return (before?.epoch ?? 0) + 1;
}

interface Circumstance {
  readonly sameHash: boolean;
  readonly cancel: boolean;
  readonly sameJob: boolean;
  /** The claimer is the instance that has the claim. */
  readonly sameInstance: boolean;
  readonly dead: 'nobody' | 'owner' | 'another';
  readonly laterExp: boolean;
}

/** How a row of the table comes about, and which row of the table a circumstance makes of it. */
const ARRANGEMENTS: Readonly<Record<string, { arrange(rig: LedgerRig, taskId: string): Promise<void>; label(circumstance: Circumstance): string }>> = {
  'marker missing': { arrange: (rig) => rig.lose(), label: () => 'generation marker missing' },
  'no row': { arrange: async () => undefined, label: ({ cancel }) => (cancel ? '`waiting` (cancelled before any claim)' : 'none') },
  'a released claim': {
    async arrange({ ledger }, taskId) {
      await ledger.claim(claimOf(taskId));
      await ledger.claim(claimOf(taskId));
      await ledger.release(taskId, 2);
    },
    label: () => '`running`, released (`owner` empty)',
  },
  'a claim under way': {
    arrange: async ({ ledger }, taskId) => void (await ledger.claim(claimOf(taskId))),
    label({ sameJob, sameInstance, dead }) {
      if (sameInstance && (sameJob || dead === 'owner')) return '`running`, same job, owner is the claimer';
      return sameJob || dead === 'owner' ? '`running`, same job, or owner named as dead' : '`running`, another job';
    },
  },
  'a SUCCESS': { arrange: async (rig, taskId) => finish(rig, taskId, {}), label: () => '`success`' },
  'a FAILURE': { arrange: async (rig, taskId) => finish(rig, taskId, FAILED), label: () => '`failure`' },
};

async function finish({ ledger }: LedgerRig, taskId: string, changes: Parameters<typeof recordOf>[2]): Promise<void> {
  await ledger.claim(claimOf(taskId));
  await ledger.record(recordOf(taskId, 1, changes));
}

const CIRCUMSTANCES: readonly Circumstance[] = [true, false].flatMap((sameHash) =>
  [false, true].flatMap((cancel) =>
    [true, false].flatMap((sameJob) =>
      [false, true].flatMap((sameInstance) =>
        (['nobody', 'owner', 'another'] as const).flatMap((dead) =>
          [false, true].map((laterExp) => ({ sameHash, cancel, sameJob, sameInstance, dead, laterExp })),
        ),
      ),
    ),
  ),
);

/** Every row of the claim table, in every circumstance that a claim can name. */
export function claimConformance(rig: () => LedgerRig): void {
  describe('claim', () => {
    beforeEach(() => rig().ledger.markGeneration('g-1'));

    it('covers every row of the table in docs/protocol.md', () => {
      const labels = new Set(Object.values(ARRANGEMENTS).flatMap(({ label }) => CIRCUMSTANCES.map((circumstance) => label(circumstance))));
      expect([...labels].sort()).toEqual([...TABLE.keys()].sort());
    });

    for (const [name, { arrange, label }] of Object.entries(ARRANGEMENTS)) {
      it(`meets ${name} as the table says, in ${CIRCUMSTANCES.length} circumstances`, { tags: ['FE-37'] }, async () => {
        for (const circumstance of CIRCUMSTANCES) await checkClaim(rig(), arrange, label(circumstance), circumstance);
      });
    }
  });
}

async function checkClaim(
  rig: LedgerRig,
  arrange: (rig: LedgerRig, taskId: string) => Promise<void>,
  label: string,
  { sameHash, cancel, sameJob, sameInstance, dead, laterExp }: Circumstance,
): Promise<void> {
  const { ledger } = rig;
  const taskId = newTaskId();
  await arrange(rig, taskId);
  if (cancel) await ledger.cancel(taskId, NOW + 10);
  const before = await ledger.row(taskId);

  const cell = cellOf(label, sameHash, before);
  const request = claimOf(taskId, {
    manifestSha256: sameHash ? SHA : OTHER_SHA,
    jobKey: sameJob ? 'file:t_1' : 'file:raw-7',
    instance: sameInstance ? 'i-1' : 'i-2',
    exp: laterExp ? EXP + 90 * 24 * 3600 : EXP - 60,
    now: NOW + 20,
    ...(dead === 'nobody' ? {} : { deadInstance: dead === 'owner' ? 'i-1' : 'i-9' }),
  });
  const answer = await ledger.claim(request);
  const situation = `${label} ${JSON.stringify({ sameHash, cancel, sameJob, sameInstance, dead, laterExp })}`;
  expect(answer, situation).toEqual(cell(before));
  const after = await ledger.row(taskId);
  expect(after, situation).toEqual(rowAfter(before, request, answer));
  if (after && after.updated === request.now)
    expect(await rig.expiresAt(taskId), situation).toBe(rowExpiry(after.exp, after.updated, { retentionMs: RETENTION_MS }));
}

/** A row without a hash has no "other hash": its cell is empty. */
function cellOf(label: string, sameHash: boolean, before: TaskRow | undefined): (before: TaskRow | undefined) => ClaimAnswer {
  const row = TABLE.get(label);
  const text = (!sameHash && (before?.manifestSha256 ?? '') !== '' ? row?.get('other hash') : row?.get('same hash')) ?? '';
  const cell = CELLS[text];
  if (!cell) throw new Error(`docs/protocol.md says something new for ${label}: ${text}`);
  return cell;
}

const GRANTED: ReadonlySet<string> = new Set(['new', 'takeover', 'cancelled']);

function rowAfter(before: TaskRow | undefined, request: ClaimRequest, answer: ClaimAnswer): TaskRow | undefined {
  const exp = Math.max(before?.exp ?? 0, request.exp);
  if (GRANTED.has(answer.kind) && 'epoch' in answer) {
    return {
      state: 'running',
      manifestSha256: request.manifestSha256,
      epoch: answer.epoch,
      takeovers: answer.kind === 'takeover' ? answer.takeovers : (before?.takeovers ?? 0),
      crashes: before?.crashes ?? 0,
      owner: request.instance,
      jobKey: request.jobKey,
      exp,
      cancelRequested: before?.cancelRequested ?? false,
      errorCode: before?.errorCode,
      result: before?.result,
      updated: request.now,
    };
  }
  const remembers = before && (answer.kind === 'finished' || answer.kind === 'busy') && exp > before.exp;
  return remembers ? { ...before, exp, updated: request.now } : before;
}
