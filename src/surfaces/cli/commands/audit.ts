import { WritError } from '../../../core/errors.ts';
import type { OperatorRecord } from '../../../core/ports/index.ts';
import type { Call } from '../command.ts';
import { table } from '../text/table.ts';
import { counted, parseSeconds } from '../text/values.ts';

export interface AuditListFlags {
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
export async function runAuditList(call: Call, flags: AuditListFlags): Promise<number> {
  const since = flags.since === undefined ? undefined : sinceOf(flags.since, call.clock.now());
  let records = 0;
  let page: OperatorRecord[] = [];
  const show = async (): Promise<void> => {
    if (page.length === 0) return;
    const rows = page.map(rowOf);
    await call.output.answer({}, () => table(COLUMNS, rows));
    page = [];
  };
  for await (const record of (await call.services()).auditReader().records()) {
    if (since !== undefined && Date.parse(record.at) < since) continue;
    if (flags.action !== undefined && !isOf(record.action, flags.action)) continue;
    records += 1;
    await call.output.line(record);
    if (!call.output.json && page.push(record) === PAGE) await show();
  }
  await show();
  await call.output.answer({ summary: { records } }, () => counted(records, 'record'));
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
