import type { Call } from '../command.ts';
import { parseSeconds } from '../text/values.ts';
import { auditedCall } from './audited-call.ts';
import { fileFor, keyJson, rolesOf, type SecretFlags, whereabouts } from './key-words.ts';

export interface CreateFlags extends SecretFlags {
  readonly roles: string;
  readonly ttl?: string;
}

/** `writ key create`: the secret is shown or kept this once; only its hash stays. */
export async function runKeyCreate(call: Call, flags: CreateFlags, name: string): Promise<number> {
  const roles = rolesOf(flags.roles);
  const ttlS = flags.ttl === undefined ? undefined : parseSeconds(flags.ttl, '--ttl');
  const { access } = await call.services();
  const file = fileFor(name, flags, access);
  const keys = await access.keys();
  const detail = { roles: roles.join(','), ...(ttlS === undefined ? {} : { ttl_s: ttlS }) };
  const { key, secret } = await auditedCall(call, { action: 'key.create', subject: name, detail }, async () => {
    if (file !== undefined) await access.assertNew(file);
    const made = await keys.create({ name, roles, ...(ttlS === undefined ? {} : { ttlS }) });
    try {
      if (file !== undefined) await access.keepSecret(file, made.secret);
    } catch (error) {
      // Nobody has the secret of this key.
      await keys.revoke(made.key.id);
      throw error;
    }
    return made;
  });
  const where = whereabouts(file, secret);
  await call.output.answer({ ...keyJson(key), ...where.json }, () =>
    [`made the key ${key.name} (${key.id}) for ${key.roles.join(', ')}`, where.line].join('\n'),
  );
  return 0;
}
