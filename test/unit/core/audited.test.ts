import { describe, expect, it } from 'vitest';
import { GENESIS, sealRecord } from '../../../src/core/audit-chain.ts';
import { audited } from '../../../src/core/audited.ts';
import { WritError } from '../../../src/core/errors.ts';
import type { AuditLog, OperatorAction } from '../../../src/core/ports/index.ts';

const ENTRY = { surface: 'cli', who: 'a', action: 'task.retry', subject: 't', detail: { regrant: true } } as const;

function logOf(failFrom = Number.POSITIVE_INFINITY): { log: AuditLog; said: OperatorAction[] } {
  const said: OperatorAction[] = [];
  const log: AuditLog = {
    async append(action) {
      if (said.length >= failFrom) throw new WritError('STORAGE_UNAVAILABLE', 'disk full');
      said.push(action);
      return sealRecord(GENESIS, action, 0);
    },
  };
  return { log, said };
}

describe('an audited action', () => {
  it('is asked before and done after', async () => {
    const { log, said } = logOf();
    const answer = await audited(log, ENTRY, async () => {
      expect(said).toEqual([{ ...ENTRY, outcome: 'asked' }]);
      return 7;
    });
    expect(answer).toBe(7);
    expect(said.at(-1)).toEqual({ ...ENTRY, outcome: 'done' });
  });

  it('says at the end what the work found out', async () => {
    const { log, said } = logOf();
    await audited(
      log,
      ENTRY,
      async () => 7,
      (value) => ({ value }),
    );
    expect(said).toEqual([
      { ...ENTRY, outcome: 'asked' },
      { ...ENTRY, outcome: 'done', detail: { regrant: true, value: 7 } },
    ]);
  });

  it('is refused with its code when it throws', async () => {
    const { log, said } = logOf();
    const work = async (): Promise<never> => {
      throw new WritError('WRONG_STATE', 'no');
    };
    await expect(audited(log, ENTRY, work)).rejects.toMatchObject({ code: 'WRONG_STATE' });
    expect(said.at(-1)).toEqual({ ...ENTRY, outcome: 'refused', detail: { regrant: true, code: 'WRONG_STATE' } });
  });

  it('is not done when it cannot be asked for', async () => {
    let done = false;
    const work = async (): Promise<void> => {
      done = true;
    };
    await expect(audited(logOf(0).log, ENTRY, work)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(done).toBe(false);
  });

  it('tells of a log that could not take the end, but keeps the reason of a refusal', async () => {
    await expect(audited(logOf(1).log, ENTRY, async () => 1)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const work = async (): Promise<never> => {
      throw new WritError('WRONG_STATE', 'no');
    };
    await expect(audited(logOf(1).log, ENTRY, work)).rejects.toMatchObject({ code: 'WRONG_STATE' });
  });
});
