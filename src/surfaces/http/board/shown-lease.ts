import { LeasePayload, PlanLeasePayload } from '../../../contracts/index.ts';

/** `2026-11-21T05:00:00Z (in 23 h)`, as the lease says; the executor is the one who checks it. */
export function shownExpiry(lease: string | undefined, now: number): string {
  if (lease === undefined || lease === '') return 'there is no lease';
  const exp = expiryOf(lease);
  if (exp === undefined) return 'this is no lease';
  const at = `${new Date(exp * 1000).toISOString().slice(0, 19)}Z`;
  return exp * 1000 <= now ? `${at} (expired ${span(now - exp * 1000)} ago)` : `${at} (in ${span(exp * 1000 - now)})`;
}

function expiryOf(lease: string): number | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(lease.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return LeasePayload.safeParse(payload).data?.exp ?? PlanLeasePayload.safeParse(payload).data?.exp;
  } catch {
    return undefined;
  }
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

function span(ms: number): string {
  const [size, unit] = UNITS.find(([least]) => ms >= 2 * least) ?? [1_000, 's'];
  return `${Math.floor(ms / size)} ${unit}`;
}
