import { type Project, SERVICES } from './project.ts';

export interface Restarts {
  readonly checks: Readonly<Record<string, boolean>>;
  /** How each service ended when all were stopped. */
  readonly exits: Readonly<Record<string, number>>;
}

const SEARCHES = 3;

/** What an operator does on a good day: three search services, a restart, a stop, and everything made anew on the same volumes. */
export async function restart(project: Project): Promise<Restarts> {
  await project.must('up', '-d', '--scale', `search=${SEARCHES}`);
  await project.healthy(SERVICES);
  const scaled = (await project.must('ps', '-q', 'search')).trim().split('\n').length;
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
  const audit = await project.writ('kernel', 'audit', 'verify');
  await project.must('down', '--volumes');
  return {
    checks: { scaled: scaled === SEARCHES, afterRestart, stopped: Object.values(exits).every((code) => code === 0), afterDown, audit: audit.code === 0 },
    exits,
  };
}

/** The first task's result is known, and its signature is right. */
async function isVerified(project: Project): Promise<boolean> {
  const { out } = await project.writ('api', 'result', 'first', '--verify');
  return /^state +SUCCESS$/m.test(out) && /^signature +verified$/m.test(out);
}
