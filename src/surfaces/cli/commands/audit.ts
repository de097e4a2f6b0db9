import { act, type Registrar } from '../command.ts';
import type { AuditListFlags } from '../operations/audit-list.ts';

export const registerAudit: Registrar = (program, deps, exit) => {
  const audit = program.command('audit').helpCommand(false).description('what operators did, and whether the record of it is whole');
  audit
    .command('verify')
    .description('check every line of the audit log; exit 1 when one was changed, removed or added')
    .action(act<[], Record<never, never>>(deps, exit, async () => (await import('../operations/audit-verify.ts')).runAuditVerify));
  audit
    .command('list')
    .description('show the records, oldest first')
    .option('--since <time>', 'only so far back (e.g. 7d), or from a date on (2026-11-21T00:00:00Z)')
    .option('--action <action>', 'only these, e.g. task.retry; "key." means all that begin so')
    .action(act<[], AuditListFlags>(deps, exit, async () => (await import('../operations/audit-list.ts')).runAuditList));
};
