import { act, type Registrar } from '../command.ts';
import type { IssueFlags } from '../operations/lease-issue.ts';
import type { VerifyFlags } from '../operations/lease-verify.ts';

export const registerLease: Registrar = (program, deps, exit) => {
  const lease = program.command('lease').helpCommand(false).description('issue, verify and revoke leases');
  lease
    .command('issue <manifest>')
    .description('have the kernel sign a lease for one manifest ("-" reads standard input)')
    .option('--ttl <time>', 'life of the lease, e.g. 15m, 24h, 30d')
    .option('--confirmed-by <person>', 'who confirmed a manifest that says hrc_required')
    .action(act<[string], IssueFlags>(deps, exit, async () => (await import('../operations/lease-issue.ts')).runLeaseIssue));
  lease
    .command('verify <token>')
    .description('check a lease with the public keys of this data directory ("-" reads standard input)')
    .option('--manifest <file>', 'check also that it was issued for this manifest')
    .action(act<[string], VerifyFlags>(deps, exit, async () => (await import('../operations/lease-verify.ts')).runLeaseVerify));
  lease
    .command('revoke <token>')
    .description('revoke a lease: no effect starts under it any more ("-" reads standard input)')
    .action(act<[string], Record<never, never>>(deps, exit, async () => (await import('../operations/lease-revoke.ts')).runLeaseRevoke));
};
