import type { Call } from '../command.ts';
import { auditedCall } from './audited-call.ts';
import { tokenOf } from './lease-token.ts';

/** A jti is a plain word; a token has three parts between dots. */
const JTI = /^[A-Za-z0-9_-]{1,128}$/;

/** `writ lease revoke`: an entry in the kernel's log; effects that have begun are finished. */
export async function runLeaseRevoke(call: Call, _flags: object, word: string): Promise<number> {
  const token = await tokenOf(call.io, word);
  const services = await call.services();
  // Of a bare jti no expiry is known; no lease lives longer than the longest one.
  const bound = { jti: token, exp: Math.ceil(call.clock.now() / 1000) + services.maxTtlS };
  const kernel = await services.kernel();
  const isJti = JTI.test(token);
  const subject = isJti ? token : ((await services.signatures()).peek(token)?.jti ?? 'unreadable lease');
  const { jti, n, published } = await auditedCall(call, { action: 'lease.revoke', subject }, () => kernel.revoke(isJti ? bound : token));
  await call.output.answer({ jti, revoked: true, entry: n, published }, () => `revoked ${jti} (entry ${n} of the revocation log)`);
  if (!published) call.output.note('Redis does not answer: workers learn of it when it is back');
  return 0;
}
