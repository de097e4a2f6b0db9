import type { LeasePayload, TaskManifest } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { duration } from '../../../core/units.ts';
import { auditedCommand, auditedUrgentCommand, type CommandContext, command, type Registrar } from '../command.ts';
import type { CliIo } from '../services.ts';
import { pairs } from '../text/table.ts';
import { parseLeaseTerms, timeOf } from '../text/values.ts';

export const register: Registrar = (program, deps, exit) => {
  const lease = program.command('lease').helpCommand(false).description('issue, verify and revoke leases');
  lease
    .command('issue <manifest>')
    .description('have the kernel sign a lease for one manifest ("-" reads standard input)')
    .option('--ttl <time>', 'life of the lease, e.g. 15m, 24h, 30d')
    .option('--confirmed-by <person>', 'who confirmed a manifest that says hrc_required')
    .action(command<[string], IssueFlags>(deps, exit, runLeaseIssue));
  lease
    .command('verify <token>')
    .description('check a lease with the public keys of this data directory ("-" reads standard input)')
    .option('--manifest <file>', 'check also that it was issued for this manifest')
    .action(command<[string], VerifyFlags>(deps, exit, runLeaseVerify));
  lease
    .command('revoke <token>')
    .description('revoke a lease: no effect starts under it any more ("-" reads standard input)')
    .action(command<[string], Record<never, never>>(deps, exit, runLeaseRevoke));
};

interface IssueFlags {
  readonly ttl?: string;
  readonly confirmedBy?: string;
}

/** `writ lease issue`: prints the lease alone, so that a shell can keep it. */
async function runLeaseIssue(context: CommandContext, flags: IssueFlags, file: string): Promise<number> {
  const { jobOf } = await import('../../shared/input/parse-task.ts');
  const { readText } = await import('../read-text.ts');
  const { manifest } = jobOf(await readText(context.io, file));
  const services = await context.services();
  const kernel = await services.kernel();
  const lease = await auditedCommand(context, { action: 'lease.issue', subject: manifest.task_id, detail: detailOf(manifest, flags) }, async () => {
    const [grant] = await kernel.issue([manifest], parseLeaseTerms(flags));
    if (grant === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
    if (grant.kind === 'refused') throw new WritError(grant.code, grant.message, grant.field === undefined ? {} : { field: grant.field });
    return grant.lease;
  });
  const payload = (await services.signatures()).peek(lease);
  await context.output.answer({ task_id: manifest.task_id, lease, payload: payload ?? null }, () => lease);
  if (payload && !context.output.json) context.output.note(`for ${payload.aud}, until ${timeOf(payload.exp * 1000)}, jti ${payload.jti}`);
  return 0;
}

function detailOf({ capability_id }: TaskManifest, { ttl, confirmedBy }: IssueFlags): Record<string, string> {
  return { capability_id, ...(ttl === undefined ? {} : { ttl }), ...(confirmedBy === undefined ? {} : { confirmed_by: confirmedBy }) };
}

interface VerifyFlags {
  readonly manifest?: string;
}

/** `writ lease verify`: 0 when an effect could start under the lease now, else 1 and why. */
async function runLeaseVerify(context: CommandContext, flags: VerifyFlags, word: string): Promise<number> {
  const { jobOf } = await import('../../shared/input/parse-task.ts');
  const { readText } = await import('../read-text.ts');
  const token = await tokenOf(context.io, word);
  const manifest = flags.manifest === undefined ? undefined : jobOf(await readText(context.io, flags.manifest)).manifest;
  const signatures = await (await context.services()).signatures();
  const reading = await signatures.readLease(token, manifest);
  if (!reading.ok) {
    await context.output.answer({ valid: false, code: 'INVALID_LEASE', message: reading.error }, () => `not valid: ${reading.error} (INVALID_LEASE)`);
    return 1;
  }
  const { payload, kid } = reading.value;
  const trouble = (await revoked(payload, signatures)) ?? expired(payload, context.clock.now());
  const value = { valid: trouble === undefined, ...(trouble ?? {}), kid, payload };
  await context.output.answer(value, () => leaseText(payload, kid, trouble?.message, context.clock.now()));
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

function leaseText(payload: LeasePayload, kid: string, trouble: string | undefined, now: number): string {
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

/** The kernel's ids of leases are UUIDs; a token has three parts between dots. */
const JTI = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TOKEN = /^[^.]+(?:\.[^.]*){2}$/;

/** `writ lease revoke`: an entry in the kernel's log; effects that have begun are finished. */
async function runLeaseRevoke(context: CommandContext, _flags: object, word: string): Promise<number> {
  const token = await tokenOf(context.io, word);
  const services = await context.services();
  // Of a bare jti no expiry is known; no lease lives longer than the longest one.
  const bound = { jti: token, exp: Math.ceil(context.clock.now() / 1000) + services.maxTtlS };
  const kernel = await services.kernel();
  const isJti = JTI.test(token);
  // A word that names nothing would be revoked, and its lease would go on.
  if (!isJti && !TOKEN.test(token)) throw new WritError('INVALID_ARGUMENT', 'this is neither a lease nor the jti of one', { field: 'token' });
  const subject = isJti ? token : ((await services.signatures()).peek(token)?.jti ?? 'unreadable lease');
  const { jti, n, published } = await auditedUrgentCommand(context, { action: 'lease.revoke', subject }, () => kernel.revoke(isJti ? bound : token));
  await context.output.answer({ jti, revoked: true, entry: n, published }, () => `revoked ${jti} (entry ${n} of the revocation log)`);
  if (!published) context.output.note('Redis does not answer: workers learn of it when it is back');
  return 0;
}

/** A token as the argument, or `-` for standard input. */
async function tokenOf(io: CliIo, word: string): Promise<string> {
  const { readText } = await import('../read-text.ts');
  const token = (word === '-' ? await readText(io, '-') : word).trim();
  if (token === '') throw new WritError('INVALID_ARGUMENT', 'no lease was given', { field: 'token' });
  return token;
}
