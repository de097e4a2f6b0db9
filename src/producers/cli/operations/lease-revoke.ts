import { WritError } from '../../../core/errors.ts';
import type { Call } from '../act.ts';
import { tokenOf } from './lease-token.ts';

/** A jti is a plain word; a token has three parts between dots. */
const JTI = /^[A-Za-z0-9_-]{1,128}$/;

/** `writ lease revoke`: an entry in the kernel's log; effects that have begun are finished. */
export async function runLeaseRevoke(call: Call, _flags: object, word: string): Promise<number> {
  const token = await tokenOf(call.io, word);
  const services = await call.services();
  const lease = JTI.test(token) ? { jti: token } : (await services.signatures()).peek(token);
  if (!lease) throw new WritError('INVALID_ARGUMENT', 'is neither a lease nor the jti of one', { field: 'token' });
  const entry = await (await services.kernel()).revoke('exp' in lease ? { jti: lease.jti, exp: lease.exp } : { jti: lease.jti });
  await call.output.answer({ jti: lease.jti, revoked: true, entry }, () => `revoked ${lease.jti} (entry ${entry} of the revocation log)`);
  return 0;
}
