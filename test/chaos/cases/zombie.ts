import { patient } from '../../support/patience.ts';
import { idOf, isVisible, landedAt } from '../effect.ts';
import { brief, contentOf } from '../expectations.ts';
import { finale, recreate } from '../finale.ts';
import { type OperationName, prepare, undo } from '../operations.ts';
import { processState, signal, until } from '../processes.ts';
import type { Point } from '../setup.ts';
import type { Stage } from '../stage.ts';
import { pushInto } from '../strikes.ts';

const OPERATIONS_HERE: readonly OperationName[] = ['move', 'delete', 'copy', 'move across'];
/** With an open intent the stopped process must be dead before anybody else touches it; before the intent nobody needs it dead. */
const POINTS: readonly Point[] = ['intent', 'intent', 'intent', 'claimed', 'C1', 'sealed', 'X6', 'M1', 'before-close'];

const STOPS_WITHIN_MS = patient(2_000);
/** Time for a woken process to do whatever it still would. */
const AWAKE_MS = 150;

/** SIGSTOP between intent and system call, completion elsewhere, undo, re-created source, SIGCONT: one effect. */
export async function zombie(stage: Stage): Promise<void> {
  const { random, counts, tickets, expectations } = stage.field;
  const point = random.pick(POINTS);
  const effect = await prepare(random.pick(OPERATIONS_HERE), stage);
  if (!effect) return;
  const strike = await pushInto(stage, effect, point, [{ do: 'stop' }]);
  if (!strike) {
    await finale(stage, effect, {}, { success: true });
    return;
  }
  const asleep = await until(() => ['T', undefined].includes(processState(strike.pid)?.state), STOPS_WITHIN_MS);
  const identity = processState(strike.pid)?.startTime;
  if (!asleep) counts.violation('broken', `process ${strike.pid} did not stop`);
  counts.round(`SIGSTOP at ${point}, completion elsewhere, SIGCONT`);

  const result = await tickets.answer(effect.ticket);
  if (result?.status !== 'SUCCESS') {
    await finale(stage, effect, {}, { success: true });
    wake(strike.pid, identity);
    return;
  }
  const alive = identity !== undefined && processState(strike.pid)?.startTime === identity;
  if (!alive) counts.event('fenced');
  else if (point !== 'claimed') counts.violation('unfenced', `${idOf(effect)}: stopped at ${point}, finished elsewhere, process ${strike.pid} lives`);
  if (!isVisible(effect)) counts.violation('wrong', `${idOf(effect)}: SUCCESS, but the target holds ${brief(contentOf(effect.targets[0] ?? ''))}`);

  // An undo puts the very file back under the source's name; a copy has none, so its result is taken away.
  const back = effect.keepsSource ? undefined : await undo(stage, effect);
  if (back) {
    await tickets.push(back.ticket);
    const undone = await finale(stage, back, {}, { success: true });
    // Not taken back, because workers were killed too often: then there is nothing to see here.
    if (undone?.status !== 'SUCCESS') return wake(strike.pid, identity);
  }
  const standing = back ? contentOf(effect.source) : effect.keepsSource ? effect.content : recreate(stage, effect);
  wake(strike.pid, identity);
  await until(() => false, AWAKE_MS);
  if (contentOf(effect.source) !== standing) counts.violation('doubled', `${idOf(effect)}: woken, the source holds ${brief(contentOf(effect.source))}`);
  if (back && landedAt(effect) !== undefined) counts.violation('doubled', `${idOf(effect)}: undone and woken, the target is back`);
  if (!back) expectations.expect(effect.source, standing, 'doubled', idOf(effect));
  if (random.chance(0.5)) await tickets.replay(effect.ticket);
}

/** Only the very process that was stopped. */
function wake(pid: number, startTime: string | undefined): void {
  if (startTime !== undefined && processState(pid)?.startTime === startTime) signal(pid, 'SIGCONT');
}
