import { LeasePayload } from '../contracts/index.ts';
import { peekPayload } from '../core/peek-token.ts';

/** What a lease says of itself; nothing of it is verified. `undefined`: this is no lease. */
export function peekLease(lease: string): LeasePayload | undefined {
  return LeasePayload.safeParse(peekPayload(lease)).data;
}
