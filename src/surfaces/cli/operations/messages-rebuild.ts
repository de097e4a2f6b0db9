import { WritError } from '../../../core/errors.ts';
import type { Call } from '../command.ts';
import { auditedCall } from './audited-call.ts';

/** `writ messages rebuild`: the writer makes the full text anew; searches see the old one until then. */
export async function runMessagesRebuild(call: Call): Promise<number> {
  const { door } = await (await call.services()).messageIngest();
  const started = call.clock.monotonic();
  const job = await auditedCall(call, { action: 'message.rebuild', subject: 'full text' }, async () => {
    const { job } = await door.submit([{ op: 'rebuild' }]);
    const end = await door.settled(job, call.interrupted());
    if (end === undefined) throw new WritError('WRONG_STATE', `not waited for: job ${job} goes on in the writer`);
    if (!end.ok) throw new WritError('STORAGE_UNAVAILABLE', `the rebuild failed: ${end.message}`);
    return job;
  });
  const seconds = ((call.clock.monotonic() - started) / 1000).toFixed(1);
  await call.output.answer({ job, rebuilt: true }, () => `the full text is new, after ${seconds} s`);
  return 0;
}
