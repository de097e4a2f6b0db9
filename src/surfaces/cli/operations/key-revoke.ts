import { WritError } from '../../../core/errors.ts';
import type { Call } from '../command.ts';
import { auditedCall } from './audited-call.ts';

/** `writ key revoke`: the key is gone at once; servers see it within a second. */
export async function runKeyRevoke(call: Call, _flags: object, id: string): Promise<number> {
  const keys = await (await call.services()).access.keys();
  const name = (await keys.list()).find((key) => key.id === id)?.name;
  await auditedCall(call, { action: 'key.revoke', subject: id, ...(name === undefined ? {} : { detail: { name } }) }, async () => {
    if (!(await keys.revoke(id))) throw new WritError('NOT_FOUND', `there is no key ${id}; \`writ key list\` shows them`);
  });
  await call.output.answer({ id, ...(name === undefined ? {} : { name }), revoked: true }, () => `revoked ${name ?? id}`);
  return 0;
}
