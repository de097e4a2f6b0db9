import { WritError } from '../../../core/errors.ts';
import type { Call } from '../command.ts';
import { parseSeconds } from '../text/values.ts';
import { auditedCall } from './audited-call.ts';
import { fileFor, keyJson, type SecretFlags, whereabouts } from './key-words.ts';

export interface RotateFlags extends SecretFlags {
  readonly grace: string;
}

/** `writ key rotate`: a new secret for the same key. The file of the old one is replaced. */
export async function runKeyRotate(call: Call, flags: RotateFlags, id: string): Promise<number> {
  const graceS = parseSeconds(flags.grace, '--grace');
  const { access } = await call.services();
  const keys = await access.keys();
  const known = (await keys.list()).find((key) => key.id === id);
  if (!known) throw new WritError('NOT_FOUND', `there is no key ${id}; \`writ key list\` shows them`);
  const file = fileFor(known.name, flags, access);
  const { key, secret } = await auditedCall(call, { action: 'key.rotate', subject: id, detail: { name: known.name, grace_s: graceS } }, async () => {
    const made = await keys.rotate(id, graceS);
    if (file !== undefined) await access.keepSecret(file, made.secret);
    return made;
  });
  const where = whereabouts(file, secret);
  const old = graceS === 0 ? 'the old secret is refused from now on' : `the old secret stays good for ${flags.grace}`;
  await call.output.answer({ ...keyJson(key), grace_s: graceS, ...where.json }, () =>
    [`${key.name} (${key.id}) has a new secret; ${old}`, where.line].join('\n'),
  );
  return 0;
}
