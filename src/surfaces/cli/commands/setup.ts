import type { Check } from '../../../core/ports/task-gateway.ts';
import type { Call } from '../command.ts';
import type { Diagnosis } from '../services.ts';
import { pairs } from '../text/table.ts';
import { counted, printable } from '../text/values.ts';

export interface DoctorFlags {
  readonly rebuildLedger?: boolean;
}

/** `writ doctor`: settings and findings. Exits 3 when something that is needed fails. */
export async function runDoctor(call: Call, flags: DoctorFlags): Promise<number> {
  const services = await call.services();
  if (flags.rebuildLedger === true) return rebuild(call, await services.rebuildLedger());
  const diagnosis = await services.diagnose();
  await call.output.answer({ data_dir: services.dataDir, ...diagnosis, ...tally(diagnosis.checks) }, () => text(services.dataDir, diagnosis));
  return diagnosis.checks.some(({ level }) => level === 'fail') ? 3 : 0;
}

async function rebuild(call: Call, restored: number): Promise<number> {
  await call.output.answer({ rebuilt: true, tasks: restored }, () => `the ledger knows ${counted(restored, 'finished task')} of this host's journal again`);
  return 0;
}

const MARKS = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } satisfies Record<Check['level'], string>;

function text(dataDir: string, { settings, checks }: Diagnosis): string {
  const lines = [`data directory  ${dataDir}`, '', 'Settings', pairs(settings.map(({ key, value, source }) => [key, `${value}  (${source})`]))];
  let area = '';
  for (const check of checks) {
    if (check.area !== area) lines.push('', check.area);
    area = check.area;
    lines.push(`${MARKS[check.level]}  ${printable(check.title)}: ${printable(check.found)}`);
    if (check.todo !== undefined) lines.push(`      ${printable(check.todo)}`);
  }
  const { failed, warnings } = tally(checks);
  return [...lines, '', failed + warnings === 0 ? 'all is well' : `${failed} failed, ${counted(warnings, 'warning')}`].join('\n');
}

function tally(checks: readonly Check[]): { failed: number; warnings: number } {
  return { failed: checks.filter(({ level }) => level === 'fail').length, warnings: checks.filter(({ level }) => level === 'warn').length };
}
