import type { LeasePayload } from '../../../contracts/index.ts';
import { jobOf } from '../../shared/input/parse-task.ts';
import type { Call } from '../command.ts';
import { readText } from '../input/open.ts';
import { pairs } from '../text/table.ts';
import { duration, timeOf } from '../text/values.ts';
import { tokenOf } from './lease-token.ts';

export interface VerifyFlags {
  readonly manifest?: string;
}

/** `writ lease verify`: 0 when an effect could start under the lease now, else 1 and why. */
export async function runLeaseVerify(call: Call, flags: VerifyFlags, word: string): Promise<number> {
  const token = await tokenOf(call.io, word);
  const manifest = flags.manifest === undefined ? undefined : jobOf(await readText(call.io, flags.manifest)).manifest;
  const signatures = await (await call.services()).signatures();
  const reading = await signatures.readLease(token, manifest);
  if (!reading.ok) {
    await call.output.answer({ valid: false, code: 'INVALID_LEASE', message: reading.message }, () => `not valid: ${reading.message} (INVALID_LEASE)`);
    return 1;
  }
  const { payload, kid } = reading;
  const trouble = (await revoked(payload, signatures)) ?? expired(payload, call.clock.now());
  const value = { valid: trouble === undefined, ...(trouble ?? {}), kid, payload };
  await call.output.answer(value, () => text(payload, kid, trouble?.message, call.clock.now()));
  return trouble === undefined ? 0 : 1;
}

interface Trouble {
  readonly code: 'INVALID_LEASE' | 'LEASE_EXPIRED';
  readonly message: string;
}

async function revoked({ jti }: LeasePayload, signatures: { revocationOf(jti: string): Promise<number | undefined> }): Promise<Trouble | undefined> {
  const entry = await signatures.revocationOf(jti);
  return entry === undefined ? undefined : { code: 'INVALID_LEASE', message: `revoked (entry ${entry} of the revocation log)` };
}

function expired({ exp }: LeasePayload, now: number): Trouble | undefined {
  return exp * 1000 <= now ? { code: 'LEASE_EXPIRED', message: `expired ${duration(now - exp * 1000)} ago` } : undefined;
}

function text(payload: LeasePayload, kid: string, trouble: string | undefined, now: number): string {
  return pairs([
    ['lease', trouble === undefined ? `valid for ${duration(payload.exp * 1000 - now)}` : `NOT VALID: ${trouble}`],
    ['task', `${payload.task_id} (${payload.capability_id})`],
    ['queue', payload.aud],
    ['issued', `${timeOf(payload.iat * 1000)} by ${payload.iss}, key ${kid}`],
    ['expires', timeOf(payload.exp * 1000)],
    ['jti', payload.jti],
    ['manifest', payload.manifest_sha256],
  ]);
}
