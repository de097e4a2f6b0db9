import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import { type Api, createApi, type TaskBody } from './api.ts';
import { type Counts, createFiles, onceEach, startMoves } from './counted-moves.ts';
import type { Engine } from './engine.ts';
import { aimAtAll, PLAN_STEPS, someOf } from './kills.ts';
import { blocksOf, keyIn } from './page.ts';
import { startPlan } from './plans.ts';
import { createProject, type Project, ROLES, SERVICES, withPorts } from './project.ts';
import { auditRecords } from './restarts.ts';

const WIDTH = 12;
const REFUSED_WITHIN_MS = patient(300_000);
/** What a role says that finds a database of a newer version. */
const REFUSAL = /has schema \d+, this version of Writ reads \d+/;

export interface Upgraded {
  readonly before: string;
  /** `underWay` tasks and `stepsDone` of a plan's steps when all were killed. */
  readonly up: { readonly counts: Counts; readonly plan: boolean; readonly underWay: number; readonly stepsDone: number };
  readonly down: Downgraded;
  readonly again: { readonly waited: boolean; readonly counts: Counts };
  /** Of the audit log at the end, each in its place. */
  readonly records: number;
}

/** What the earlier image did on the data of the newer one. */
interface Downgraded {
  /** Whether a job lay on the queue, by its answer. */
  readonly queued: string;
  /** Roles that say that they do not read what they find. */
  readonly refused: readonly string[];
  readonly healthy: readonly string[];
  /** What is answered to a new task, and to a search over HTTP. */
  readonly pushed: string;
  readonly searched: 'found' | 'refused' | 'wrong';
  readonly untouched: boolean;
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
  const { body } = await api.finish(waitingMove(volume));
  const waiting = createFiles(volume, 'waiting');
  const waited = body['state'] === 'success' && waiting.read('letter') === undefined && waiting.read('letter-2') === 'letter';
  const again = { waited, counts: await moves.finish() };
  const records = await auditRecords(project);
  await project.must('down', '--volumes');
  return { before, up, down, again, records };
}

export const upgradedWell = ({ up, down, again, records }: Upgraded): boolean =>
  inFlight(up) && onceEach(up.counts) && up.plan && refusedWell(down) && again.waited && onceEach(again.counts) && records > 0;

const inFlight = ({ underWay, stepsDone }: Upgraded['up']): boolean => underWay > 0 && stepsDone > 0 && stepsDone < PLAN_STEPS;

const refusedWell = ({ queued, refused, searched, untouched }: Downgraded): boolean =>
  queued.startsWith('202') && refused.includes('worker') && searched !== 'wrong' && untouched;

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

/** The earlier image is put back while a job waits on the queue: which roles refuse, and whether anything is done. */
async function downgrade(api: Api, engine: Engine, project: Project, volume: string, putBefore: () => Promise<void>): Promise<Downgraded> {
  await project.must('stop', 'worker');
  const waiting = waitingMove(volume);
  const push = (manifest: TaskBody): Promise<string> =>
    api.send('POST', '/v1/tasks?sign=true', { manifest }).then(
      ({ status, body }) => `${status} ${String(body['state'] ?? body['code'] ?? '')}`.trim(),
      () => 'no API',
    );
  const queued = await push(waiting);
  await putBefore();
  // It ends where a service waits for the kernel, which refuses, and leaves the others as they are: so they are put back without waiting for it.
  await project.compose('up', '-d');
  await project.must('up', '-d', '--no-deps', ...ROLES.filter((role) => role !== 'kernel'));
  const files = createFiles(volume, 'waiting');
  const refused = new Set<string>();
  for (const end = performance.now() + REFUSED_WITHIN_MS; performance.now() < end && !refused.has('worker'); await delay(500)) {
    for (const role of ROLES) {
      const { id } = await project.state(role);
      const { out, err } = await engine.docker('logs', id);
      if (REFUSAL.test(out + err)) refused.add(role);
    }
  }
  const pushed = await push(waiting);
  const searched = await searchForLetter(api);
  const states = await Promise.all(ROLES.map(async (role) => [role, (await project.state(role)).health] as const));
  return {
    queued,
    refused: [...refused],
    healthy: states.filter(([, health]) => health === 'healthy').map(([role]) => role),
    pushed,
    searched,
    untouched: files.read('letter') === 'letter' && files.read('letter-2') === undefined,
  };
}

/** An index of the newer image must not make the earlier one's answer another: the letter is there, and has not moved. */
async function searchForLetter(api: Api): Promise<Downgraded['searched']> {
  const answer = await api.send('POST', '/v1/search', { pattern: 'letter', fixed_strings: true }).catch(() => undefined);
  if (answer === undefined || answer.status >= 400) return 'refused';
  const text = JSON.stringify(answer.body);
  return text.includes('waiting/letter"') && !text.includes('waiting/letter-2"') ? 'found' : 'wrong';
}

/** A move that is pushed to the image before and done by the image of now. */
function waitingMove(volume: string): TaskBody {
  const files = createFiles(volume, 'waiting');
  if (files.read('letter') === undefined && files.read('letter-2') === undefined) files.write('letter', 'letter');
  return {
    task_id: 'waiting',
    capability_id: 'FILE_MOVE',
    inputs: { source_path: files.inside('letter'), destination_path: files.inside('letter-2') },
    constraints: {},
  };
}
