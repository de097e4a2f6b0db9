import { randomUUID } from 'node:crypto';
import { finale } from '../finale.ts';
import { type OperationName, prepare } from '../operations.ts';
import type { Point } from '../setup.ts';
import type { Stage } from '../stage.ts';
import { isFresh, pushInto } from '../strikes.ts';

const OPERATIONS_HERE: readonly OperationName[] = ['move', 'copy', 'delete', 'move across', 'undo move'];

/** Shorter than a lock: when the task comes back, the lease is over. */
const TTL_S = 2;

/** The lease ends between the kill and the redelivery. What was begun is finished all the same; what was not, is refused. */
export async function leaseExpires(stage: Stage): Promise<void> {
  const { random, counts } = stage.field;
  const point: Point = random.pick(['claimed', 'intent', 'M1', 'C2', 'sealed', 'X6', 'before-close']);
  const now = Math.floor(Date.now() / 1000);
  const effect = await prepare(random.pick(OPERATIONS_HERE), stage, { iat: now, exp: now + TTL_S });
  if (!effect) return;
  const strike = await pushInto(stage, effect, point);
  if (strike) counts.round(`lease over after ${point === 'claimed' ? 'the claim' : 'the intent'}`);
  // Without a strike the task may have come too late, or in time.
  const begun = strike !== undefined && point !== 'claimed';
  const refused = { code: 'LEASE_EXPIRED', says: /./ };
  await finale(stage, effect, {}, begun ? { success: true } : { success: true, failure: refused });
}

/** A revocation between the kill and the redelivery binds a task that was not begun, and no other. */
export async function leaseRevoked(stage: Stage): Promise<void> {
  const { random, counts, kernelLog } = stage.field;
  const point: Point = random.pick(['claimed', 'intent', 'M1', 'before-close']);
  const jti = randomUUID();
  const effect = await prepare(random.pick(['move', 'delete'] as const), stage, { jti });
  if (!effect) return;
  const strike = await pushInto(stage, effect, point);
  // On a busy machine the revocation may be published after the redelivery, which then was right to begin.
  let inTime = false;
  if (strike) {
    await retrying(() => kernelLog.revoke(jti));
    inTime = isFresh(strike);
    counts.round(`lease revoked after ${point === 'claimed' ? 'the claim' : 'the intent'}`);
  }
  const begun = strike === undefined || point !== 'claimed';
  await finale(stage, effect, {}, begun ? { success: true } : { success: !inTime, failure: { code: 'INVALID_LEASE', says: /revoked/ } });
}

/** Redis may be away for a moment. */
async function retrying(body: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      return await body();
    } catch {
      await new Promise((settle) => setTimeout(settle, 200));
    }
  }
  await body();
}
