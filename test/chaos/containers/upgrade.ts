import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Api, createApi } from './api.ts';
import { madeOnce, type Origin } from './cache.ts';
import { type Counts, createFiles, onceEach, startMoves } from './counted-moves.ts';
import { type Downgraded, downgrade, refusedWell, waitingMove } from './downgrade.ts';
import type { Engine } from './engine.ts';
import { aimAtAll, PLAN_STEPS, someOf } from './kills.ts';
import { blocksOf, keyIn } from './page.ts';
import { startPlan } from './plans.ts';
import { createProject, type Project, SERVICES, withPorts } from './project.ts';
import { auditRecords } from './restarts.ts';

const WIDTH = 12;

export interface Upgraded {
  readonly before: string;
  /** Of the image before. */
  readonly image: Origin;
  /** `underWay` tasks and `stepsDone` of a plan's steps when all were killed. */
  readonly up: { readonly counts: Counts; readonly plan: boolean; readonly underWay: number; readonly stepsDone: number };
  readonly down: Downgraded;
  readonly again: { readonly waited: boolean; readonly counts: Counts };
  /** Of the audit log at the end, each in its place. */
  readonly records: number;
}

/**
 * An installation of an earlier commit, killed with jobs in flight, is started with the image of now; then the earlier image
 * is put back, then the image of now again. Data, secrets and queue are the same ones throughout.
 */
export async function upgradeAndBack(engine: Engine, home: string, before: string, now: Project, cache: string | undefined): Promise<Upgraded> {
  const project = await createProject(engine, home, 'writ-before', before);
  const compose = path.join(project.directory, 'docker-compose.yml');
  const files = {
    'writ:before': withPorts(readFileSync(compose, 'utf8'), project),
    'writ:now': readFileSync(path.join(now.directory, 'docker-compose.yml'), 'utf8'),
  };
  await engine.must('tag', 'writ:local', 'writ:now');
  const image = await madeOnce(engine, cache, `writ-${before}`, ['writ:before'], async () => {
    await engine.must('build', '--network', 'host', '--tag', 'writ:before', project.directory);
  });
  const put = async (image: keyof typeof files): Promise<void> => {
    await engine.must('tag', image, 'writ:local');
    writeFileSync(compose, files[image]);
  };

  await put('writ:before');
  const { start, firstTask } = blocksOf(now.directory);
  const started = await project.shell(start.replace('docker compose build && ', ''));
  if (started.code !== 0) throw new Error(`the image before does not start: ${started.err.slice(-4000)}`);
  await project.healthy(SERVICES);
  const first = await project.shell(firstTask);
  const api = createApi(project.ports.api, keyIn(first.err));
  const volume = await project.volume('files');

  const up = await upgrade(api, project, volume, () => put('writ:now'));
  const down = await downgrade(api, engine, project, volume, () => put('writ:before'));
  const moves = startMoves(api, volume, 'again', WIDTH);
  await put('writ:now');
  await project.must('up', '-d');
  await project.healthy(SERVICES);
  const { body } = await api.finish(waitingMove(volume));
  const waiting = createFiles(volume, 'waiting');
  const waited = body['state'] === 'success' && waiting.read('letter') === undefined && waiting.read('letter-2') === 'letter';
  const again = { waited, counts: await moves.finish() };
  const records = await auditRecords(project);
  await project.must('down', '--volumes');
  return { before, image, up, down, again, records };
}

export const upgradedWell = ({ up, down, again, records }: Upgraded): boolean =>
  inFlight(up) && onceEach(up.counts) && up.plan && refusedWell(down) && again.waited && onceEach(again.counts) && records > 0;

const inFlight = ({ underWay, stepsDone }: Upgraded['up']): boolean => underWay > 0 && stepsDone > 0 && stepsDone < PLAN_STEPS;

async function upgrade(api: Api, project: Project, volume: string, putNow: () => Promise<void>): Promise<Upgraded['up']> {
  const moves = startMoves(api, volume, 'upgrade', WIDTH);
  const killAll = await aimAtAll(project);
  const plan = startPlan(api, volume, 'upgraded-plan', PLAN_STEPS);
  await someOf(plan.stepsDone, 'step of the plan is done');
  await someOf(moves.underWay, 'task is under way');
  const [underWay, stepsDone] = [moves.underWay(), plan.stepsDone()];
  killAll();
  await putNow();
  await project.must('up', '-d');
  await project.healthy(SERVICES);
  const [counts, isDone] = await Promise.all([moves.finish(), plan.done]);
  return { counts, plan: isDone, underWay, stepsDone };
}
