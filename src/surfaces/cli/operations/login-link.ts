import type { Call } from '../command.ts';
import { parseSeconds, timeOf } from '../text/values.ts';
import { auditedCall } from './audited-call.ts';
import { rolesOf } from './key-words.ts';

export interface LinkFlags {
  readonly roles: string;
  readonly ttl: string;
}

/** `writ login-link`: prints the link alone, so that a shell can hand it to a browser. Whoever opens it first is in. */
export async function runLoginLink(call: Call, flags: LinkFlags): Promise<number> {
  const roles = rolesOf(flags.roles);
  const ttlS = parseSeconds(flags.ttl, '--ttl');
  const { access, who } = await call.services();
  const origin = access.apiUrl();
  const token = await auditedCall(call, { action: 'login-link.create', subject: who, detail: { roles: roles.join(','), ttl_s: ttlS } }, async () =>
    (await access.links()).create(roles, ttlS, who),
  );
  const url = `${origin}/login?token=${token}`;
  const expires = timeOf(call.clock.now() + ttlS * 1000);
  await call.output.answer({ url, roles, expires_at: expires }, () => url);
  if (!call.output.json) call.output.note(`for ${roles.join(', ')}, once, until ${expires}`);
  return 0;
}
