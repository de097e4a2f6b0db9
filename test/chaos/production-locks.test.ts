import { expect, it } from 'vitest';
import { LOCK_TIMES } from '../../queues/catalog.ts';
import { patient } from '../support/patience.ts';
import { idOf } from './effect.ts';
import { startField } from './field.ts';
import { finale } from './finale.ts';
import { OPERATIONS } from './operations.ts';
import { createStage } from './stage.ts';
import { pushInto } from './strikes.ts';
import { NOTHING_WRONG } from './verdict.ts';

const BOUND_MS = 20_000;

it('finishes the task of a killed worker within 20 s under the locks of production', async () => {
  const { lockMs, renewMs, stalledMs } = LOCK_TIMES;
  const worker = { lock_ms: lockMs, renew_ms: renewMs, stalled_ms: stalledMs, heartbeat_ms: 3000 };
  const field = await startField({ seed: 1, workers: 2, config: { crypto: { implementation: 'node' }, log: { level: 'error' }, worker } });
  try {
    const stage = createStage(field, 'production');
    const effect = await OPERATIONS.move(stage);
    const strike = await pushInto(stage, effect, 'intent');
    expect(strike, `${idOf(effect)} was not struck`).toBeDefined();
    await finale(stage, effect, {}, { success: true });
    expect(Date.now() - (strike?.at ?? 0)).toBeLessThan(patient(BOUND_MS));
    expect(field.counts.violations).toEqual(NOTHING_WRONG);
  } finally {
    await field.stop();
  }
});
