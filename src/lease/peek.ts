import { LeasePayload } from '../contracts/index.ts';

/** What a lease says of itself; nothing of it is verified. `undefined`: this is no lease. */
export function peekLease(lease: string): LeasePayload | undefined {
  return LeasePayload.safeParse(peekPayload(lease)).data;
}

/** What stands between the dots of a token, whoever wrote it; `undefined` for what is no JSON. */
export function peekPayload(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
