import type { AuditReport } from '../../../core/ports/index.ts';
import type { Call } from '../command.ts';
import { counted } from '../text/values.ts';

/** `writ audit verify`: every line, its place in the chain, and the end. Exits 1 at the first fault. */
export async function runAuditVerify(call: Call): Promise<number> {
  const report = await (await call.services()).auditReader().verify();
  await call.output.answer({ ...report }, () => text(report));
  return report.ok ? 0 : 1;
}

function text({ records, unchained, head, brokenAt }: AuditReport): string {
  const old = unchained === 0 ? [] : [`${counted(unchained, 'line')} of an older version before the chain: ${OLD[records === 0 ? 'open' : 'covered']}`];
  if (brokenAt) return [`BROKEN: line ${brokenAt.line} ${brokenAt.why}`, `${counted(records, 'record')} before it are good`, ...old].join('\n');
  return [`${counted(records, 'record')}, all in their places`, ...old, `head  ${head}`].join('\n');
}

const OLD = { open: 'not protected until the next action is recorded', covered: 'not chained themselves, but covered by one hash in record 1' };
