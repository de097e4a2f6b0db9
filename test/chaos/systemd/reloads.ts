import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import type { Machine } from './machine.ts';
import { isServed, ROLES, unitOf, writ } from './roles.ts';

const TOLD_MS = patient(60_000);

/** `systemctl reload` of each role with a good file and then with a bad one: who took what up is told by the audit log. */
export async function reloadEach(machine: Machine): Promise<Readonly<Record<string, boolean>>> {
  const before = await Promise.all(ROLES.map((role) => unitOf(machine, role)));
  await machine.must('sh', '-c', "printf '[lease]\\nmax_ttl_s = 7200\\ndefault_ttl_s = 3600\\n' >> /etc/writ/writ.toml");
  for (const role of ROLES) await machine.must('systemctl', 'reload', `writ-${role}`);
  const tookUp = await told(machine, 'done');
  await machine.must('sh', '-c', 'cp /etc/writ/writ.toml /root/good.toml && echo nonsense >> /etc/writ/writ.toml');
  for (const role of ROLES) await machine.must('systemctl', 'reload', `writ-${role}`);
  const refused = await said(machine, 'the settings were read again and nothing was taken up');
  await machine.must('sh', '-c', 'cat /root/good.toml > /etc/writ/writ.toml');
  const after = await Promise.all(ROLES.map((role) => unitOf(machine, role)));
  return { tookUp, refused, sameProcesses: after.every(({ pid }, at) => pid === before[at]?.pid), serves: await isServed(machine) };
}

/** Whether the audit log has a reload of each role with this outcome. */
async function told(machine: Machine, outcome: string): Promise<boolean> {
  return until(async () => {
    const { out } = await writ(machine, 'audit', 'list', '--action', 'settings.reload', '--json');
    const records = out
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => JSON.parse(line) as { outcome?: string; subject?: string }[] | { outcome?: string; subject?: string });
    return ROLES.every((role) => records.some((record) => record.outcome === outcome && record.subject?.startsWith(`${role} `) === true));
  });
}

/** Whether each role has said a line in its journal. */
async function said(machine: Machine, line: string): Promise<boolean> {
  return until(async () => {
    const journals = await Promise.all(ROLES.map((role) => machine.must('journalctl', '--unit', `writ-${role}`, '--output', 'cat')));
    return journals.every((journal) => journal.includes(line));
  });
}

async function until(holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + TOLD_MS;
  while (performance.now() < end) {
    if (await holds()) return true;
    await delay(500);
  }
  return false;
}
