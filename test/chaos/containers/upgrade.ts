import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import { type Api, createApi, type TaskBody } from './api.ts';
import { type Counts, createFiles, onceEach, startMoves } from './counted-moves.ts';
import type { Engine } from './engine.ts';
import { killAll, someUnderWay } from './kills.ts';
import { blocksOf, keyIn } from './page.ts';
import { createProject, type Project, ROLES, SERVICES, withPorts } from './project.ts';
import { startPlan } from './tour.ts';

const WIDTH = 12;
/** As many as a plan may have. */
const PLAN_STEPS = 30;
const REFUSED_WITHIN_MS = patient(300_000);
/** What a role says that finds a database of a newer version. */
const REFUSAL = /has schema \d+, this version of Writ reads \d+/;

export interface Upgraded {
  readonly before: string;
  readonly up: { readonly counts: Counts; readonly plan: boolean; readonly underWay: number };
  readonly down: { readonly refused: readonly string[]; readonly healthy: readonly string[]; readonly pushed: string; readonly untouched: boolean };
  readonly again: { readonly waited: boolean; readonly counts: Counts };
  readonly audit: boolean;
}

/**
 * An installation of an earlier commit, killed with jobs in flight, is started with the image of now; then the earlier image
 * is put back, then the image of now again. Data, secrets and queue are the same ones throughout.
 */
export async function upgradeAndBack(engine: Engine, home: string, before: string, now: Project): Promise<Upgraded> {
  const project = await createProject(engine, home, 'writ-before', before);
  const compose = path.join(project.directory, 'docker-compose.yml');
  const files = {
    'writ:before': withPorts(readFileSync(compose, 'utf8'), project),
    'writ:now': readFileSync(path.join(now.directory, 'docker-compose.yml'), 'utf8'),
  };
  await engine.must('tag', 'writ:local', 'writ:now');
  await engine.must('build', '--network', 'host', '--tag', 'writ:before', project.directory);
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
  const waited = await api.finish(waitingMove(volume));
  const again = { waited: waited.body['state'] === 'success', counts: await moves.finish() };
  const audit = (await project.writ('kernel', 'audit', 'verify')).code === 0;
  await project.must('down', '--volumes');
  return { before, up, down, again, audit };
}

export const upgradedWell = ({ up, down, again, audit }: Upgraded): boolean =>
  onceEach(up.counts) && up.plan && up.underWay > 0 && down.refused.includes('worker') && down.untouched && again.waited && onceEach(again.counts) && audit;

async function upgrade(api: Api, project: Project, volume: string, putNow: () => Promise<void>): Promise<Upgraded['up']> {
  const moves = startMoves(api, volume, 'upgrade', WIDTH);
  const plan = startPlan(api, volume, 'upgraded-plan', PLAN_STEPS);
  // It has begun, and is far from its end.
  await api.finish(notedMove(volume));
  await someUnderWay(moves.underWay);
  const underWay = moves.underWay();
  await killAll(project);
  await putNow();
  await project.must('up', '-d');
  await project.healthy(SERVICES);
  const [counts, isDone] = await Promise.all([moves.finish(), plan]);
  return { counts, plan: isDone, underWay };
}

/** Which roles say that they do not read what they find, and whether anything was done meanwhile. */
async function downgrade(api: Api, engine: Engine, project: Project, volume: string, putBefore: () => Promise<void>): Promise<Upgraded['down']> {
  await putBefore();
  // It ends where a service waits for the kernel, which refuses, and leaves the others as they are: so they are put back without waiting for it.
  await project.compose('up', '-d');
  await project.must('up', '-d', '--no-deps', ...ROLES.filter((role) => role !== 'kernel'));
  const waiting = waitingMove(volume);
  const files = createFiles(volume, 'waiting');
  const refused = new Set<string>();
  for (const end = performance.now() + REFUSED_WITHIN_MS; performance.now() < end && !refused.has('worker'); await delay(500)) {
    for (const role of ROLES) {
      const { id } = await project.state(role);
      const { out, err } = await engine.docker('logs', id);
      if (REFUSAL.test(out + err)) refused.add(role);
    }
  }
  const pushed = await api.send('POST', '/v1/tasks?sign=true', { manifest: waiting }).then(
    ({ status, body }) => `${status} ${String(body['state'] ?? body['code'] ?? '')}`.trim(),
    () => 'no API',
  );
  const states = await Promise.all(ROLES.map(async (role) => [role, (await project.state(role)).health] as const));
  return {
    refused: [...refused],
    healthy: states.filter(([, health]) => health === 'healthy').map(([role]) => role),
    pushed,
    untouched: files.read('letter') === 'letter' && files.read('letter-2') === undefined,
  };
}

/** A move that is pushed to the image before and done by the image of now. */
const waitingMove = (volume: string): TaskBody => moveOnce(volume, 'waiting', 'letter');
const notedMove = (volume: string): TaskBody => moveOnce(volume, 'noted', 'note');

function moveOnce(volume: string, directory: string, name: string): TaskBody {
  const files = createFiles(volume, directory);
  if (files.read(name) === undefined && files.read(`${name}-2`) === undefined) files.write(name, name);
  return {
    task_id: directory,
    capability_id: 'FILE_MOVE',
    inputs: { source_path: files.inside(name), destination_path: files.inside(`${name}-2`) },
    constraints: {},
  };
}
