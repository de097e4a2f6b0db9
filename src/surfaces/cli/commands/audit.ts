import { WritError } from '../../../core/errors.ts';
import type { AuditReport, OperatorRecord } from '../../../core/ports/index.ts';
import { counted } from '../../../core/units.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { table } from '../text/table.ts';
import { parseSeconds } from '../text/values.ts';

export const register: Registrar = (program, deps, exit) => {
  const audit = program.command('audit').helpCommand(false).description('what operators did, and whether the record of it is whole');
  audit
    .command('verify')
    .description('check every line of all files of the audit log; exit 1 when one was changed, removed or added')
    .option('--after <record>', 'only what follows this record, which is known to be good: <number>:<hash>; files before it may be gone')
    .action(command<[], AuditVerifyFlags>(deps, exit, runAuditVerify));
  audit
    .command('list')
    .description('show the records, oldest first')
    .option('--since <time>', 'only so far back (e.g. 7d), or from a date on (2026-11-21T00:00:00Z)')
    .option('--action <action>', 'only these, e.g. task.retry; "key." means all that begin so')
    .action(command<[], AuditListFlags>(deps, exit, runAuditList));
};

interface AuditVerifyFlags {
  readonly after?: string;
}

/** `writ audit verify`: every line, its place in the chain, and the end. Exits 1 at the first fault. */
async function runAuditVerify(context: CommandContext, flags: AuditVerifyFlags): Promise<number> {
  const after = flags.after === undefined ? undefined : recordOf(flags.after);
  const report = await (await context.services()).auditReader().verify(after);
  await context.output.answer({ ...report }, () => reportText(report));
  return report.ok ? 0 : 1;
}

/** A record as one keeps it elsewhere. */
function recordOf(word: string): { n: number; hash: string } {
  const [, n = '', hash = ''] = /^([1-9]\d{0,11}):([0-9a-f]{64})$/.exec(word) ?? [];
  if (n === '')
    throw new WritError('INVALID_ARGUMENT', '--after must be <number>:<hash> of a record, as `writ audit verify --json` has them', { field: '--after' });
  return { n: Number(n), hash };
}

function reportText({ records, unchained, head, files, brokenAt }: AuditReport): string {
  const old = unchained === 0 ? [] : [`${counted(unchained, 'line')} of an older version before the chain: ${OLD[records === 0 ? 'open' : 'covered']}`];
  if (brokenAt)
    return [`BROKEN: ${brokenAt.file}, line ${brokenAt.line} ${brokenAt.why}`, `${counted(records, 'record')} before it are good`, ...old].join('\n');
  const where = files > 1 ? `, in ${files} files` : '';
  return [`${counted(records, 'record')}, all in their places${where}`, ...old, `head  ${head}`].join('\n');
}

const OLD = { open: 'not protected until the next action is recorded', covered: 'not chained themselves, but covered by one hash in record 1' };

interface AuditListFlags {
  readonly since?: string;
  readonly action?: string;
}

const COLUMNS = [
  { title: 'n', align: 'right' },
  { title: 'time' },
  { title: 'who' },
  { title: 'by' },
  { title: 'action' },
  { title: 'outcome' },
  { title: 'subject' },
] as const;
const PAGE = 200;

/** `writ audit list`: shows what stands there; whether it is whole `writ audit verify` tells. With --json a stream. */
async function runAuditList(context: CommandContext, flags: AuditListFlags): Promise<number> {
  const since = flags.since === undefined ? undefined : sinceOf(flags.since, context.clock.now());
  let records = 0;
  let page: OperatorRecord[] = [];
  const show = async (): Promise<void> => {
    if (page.length === 0) return;
    const rows = page.map(rowOf);
    await context.output.answer({}, () => table(COLUMNS, rows));
    page = [];
  };
  for await (const record of (await context.services()).auditReader().records()) {
    if (since !== undefined && Date.parse(record.at) < since) continue;
    if (flags.action !== undefined && !isOf(record.action, flags.action)) continue;
    records += 1;
    await context.output.line(record);
    if (!context.output.json && page.push(record) === PAGE) await show();
  }
  await show();
  await context.output.answer({ summary: { records } }, () => counted(records, 'record'));
  return 0;
}

function rowOf({ n, at, who, surface, action, outcome, subject, detail }: OperatorRecord): string[] {
  const code = detail?.['code'];
  return [String(n), at, who, surface, action, code === undefined ? outcome : `${outcome} ${String(code)}`, subject];
}

function isOf(action: string, wanted: string): boolean {
  return wanted.endsWith('.') ? action.startsWith(wanted) : action === wanted;
}

/** A span back from now, or a time; milliseconds since 1970. */
function sinceOf(word: string, now: number): number {
  if (/^\d+[smhd]?$/.test(word)) return now - parseSeconds(word, '--since') * 1000;
  const time = Date.parse(word);
  if (Number.isNaN(time)) throw new WritError('INVALID_ARGUMENT', '--since must be a time such as 7d or 2026-11-21T00:00:00Z', { field: '--since' });
  return time;
}
