import type { Api } from './api.ts';
import { type Project, SERVICES } from './project.ts';
import { searchWithIndex } from './tour.ts';

export interface Restarts {
  readonly checks: Readonly<Record<string, boolean>>;
  /** Of the audit log, each in its place. */
  readonly records: number;
  /** How each service ended when all were stopped. */
  readonly exits: Readonly<Record<string, number>>;
}

const SEARCHES = 3;

/** What an operator does on a good day: three search services, a restart, a stop, and everything made anew on the same volumes. */
export async function restart(api: Api, project: Project, volume: string): Promise<Restarts> {
  await project.must('up', '-d', '--scale', `search=${SEARCHES}`);
  await project.healthy(SERVICES);
  const scaled = (await project.states('search')).length;
  const searched = Object.values(await searchWithIndex(api, project, volume, 'scaled')).every(Boolean);
  await project.must('up', '-d', '--scale', 'search=1');

  await project.must('restart');
  await project.healthy(SERVICES);
  const afterRestart = await isVerified(project);

  await project.must('stop');
  const exits = Object.fromEntries(await Promise.all(SERVICES.map(async (service) => [service, (await project.state(service)).exitCode] as const)));
  await project.must('down');
  await project.must('up', '-d');
  await project.healthy(SERVICES);
  const afterDown = await isVerified(project);
  const records = await auditRecords(project);
  await project.must('down', '--volumes');
  return {
    checks: { scaled: scaled === SEARCHES && searched, afterRestart, stopped: Object.values(exits).every((code) => code === 0), afterDown, audit: records > 0 },
    records,
    exits,
  };
}

/** How many records the audit log has; 0 unless all are in their places. */
export async function auditRecords(project: Project): Promise<number> {
  const { code, out } = await project.writ('kernel', 'audit', 'verify', '--json');
  const report = code === 0 ? (JSON.parse(out) as { readonly records: number }) : undefined;
  return report?.records ?? 0;
}

/** The first task's result is known, and its signature is right. */
async function isVerified(project: Project): Promise<boolean> {
  const { out } = await project.writ('api', 'result', 'first', '--verify');
  return /^state +SUCCESS$/m.test(out) && /^signature +verified$/m.test(out);
}
