import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Jwks } from '../../../src/lease/keys.ts';
import type { ExecutionResult, KeySet, TaskManifest } from '../../../src/surfaces/client/index.ts';
import { verifyResult } from '../../../src/surfaces/client/index.ts';
import { startWrit, writArgs } from '../writ-process.ts';
import { BASE, DATA, ENDED, type EndedTask, fromTo, inBase, MADE, type Made, manifestOf, PLACE, planOf, UNDER_WAY, underWayId } from './ground.ts';
import { type Api, runningApi } from './http.ts';
import { adoptFiles } from './inodes.ts';
import { schemasIn } from './schemas.ts';

/**
 * Opens what an earlier program left with the program of this checkout, works with it, stops it, and prints what it saw. Run in
 * a mount namespace of its own: `<directory>`.
 */
export interface Opened {
  readonly made: Made;
  /** By task: how it stands now, whether its result is word for word the one of then, and whether our keys verify it. */
  readonly ended: Readonly<Record<string, { readonly state: string; readonly same: boolean; readonly verified: boolean }>>;
  /** What a push of the task that is done was answered, and whether its new source was left alone. */
  readonly repeated: { readonly status: number; readonly replayed: boolean; readonly left: boolean };
  readonly undone: { readonly move: boolean; readonly deletion: boolean };
  /** Of the moves under way: how many succeeded, and how many files stand right, once. */
  readonly underWay: { readonly succeeded: number; readonly right: number };
  readonly plans: { readonly ended: string; readonly underWay: string; readonly right: number };
  readonly messages: number;
  readonly matches: number;
  readonly listed: number;
  readonly auditVerify: number;
  readonly stopped: number | string;
  readonly schemas: Readonly<Record<string, number>>;
}

const LOOK_MS = 50;
const [directory = ''] = process.argv.slice(2);

execFileSync('mount', ['--bind', directory, PLACE]);
const made = JSON.parse(readFileSync(MADE, 'utf8')) as Made;
adoptFiles(path.join(DATA, 'journal.db'), BASE, made.inodes);
const up = startWrit(['--data-dir', DATA, 'up'], { cwd: PLACE, env: { ...process.env, HOME: PLACE } });
// The one of the killed API lies there: that of this one is another.
const before = existsSync(path.join(DATA, 'api.url')) ? readFileSync(path.join(DATA, 'api.url'), 'utf8') : '';
await isReady();
const api = runningApi();
const ended = await endedTasks();
const repeated = await repeat();
const undone = { move: await undo('moved-to-undo'), deletion: await undo('deleted') };
const underWay = await finished();
const plans = await finishedPlans();
const { body: found } = await api.send('POST', '/v1/messages/search', { text: 'table' });
const { body: contents } = await api.send('POST', '/v1/search', { pattern: 'needle', fixed_strings: true });
const { body: list } = await api.send('GET', '/v1/tasks?limit=500');
const auditVerify = codeOf(['audit', 'verify']);
up.child.kill('SIGTERM');
const stopped = await up.ended;
const seen: Opened = {
  ...{ made, ended, repeated, undone, underWay, plans },
  messages: lengthOf(found['results']),
  matches: lengthOf(contents['matches']),
  listed: lengthOf(list['tasks']),
  ...{ auditVerify, stopped, schemas: schemasIn(DATA) },
};
process.stdout.write(JSON.stringify(seen));

async function isReady(): Promise<void> {
  const file = path.join(DATA, 'api.url');
  const answers = async (): Promise<boolean> => {
    if (!existsSync(file) || readFileSync(file, 'utf8') === before) return false;
    return runningApi()
      .send('GET', '/readyz')
      .then(
        ({ status }) => status === 200,
        () => false,
      );
  };
  const over = up.ended.then((end) => Promise.reject(new Error(`writ up ended with ${end}: ${up.said()}`)));
  over.catch(() => undefined);
  while (!(await answers())) await Promise.race([delay(LOOK_MS), over]);
}

async function endedTasks(): Promise<Opened['ended']> {
  const keys: KeySet = Jwks.parse((await api.send('GET', '/v1/keys')).body);
  const entries = Object.entries(made.tasks).map(async ([id, then]) => {
    const { body } = await api.send('GET', `/v1/tasks/${id}`);
    const { capability, inputs } = ENDED[id as EndedTask];
    const { ok: verified } = await verifyResult(body['result'] as ExecutionResult<unknown>, manifestOf(id, capability, inputs) as TaskManifest, keys);
    return [id, { state: String(body['state']), same: JSON.stringify(body['result'] ?? null) === then.result, verified }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function repeat(): Promise<Opened['repeated']> {
  const { capability, inputs } = ENDED.moved;
  writeFileSync(inputs.source_path, 'another file');
  const { status, body } = await api.send('POST', '/v1/tasks?sign=true', { manifest: manifestOf('moved', capability, inputs) }, { prefer: 'wait=20' });
  return {
    status,
    replayed: JSON.stringify(body['result'] ?? null) === made.tasks['moved']?.result,
    left: readFileSync(inputs.source_path, 'utf8') === 'another file',
  };
}

async function undo(name: EndedTask): Promise<boolean> {
  const { status, body } = await api.send('POST', `/v1/tasks/${name}/undo`, {}, { prefer: 'wait=60' });
  if (status === 202 && typeof body['task_id'] === 'string') await api.end(`/v1/tasks/${body['task_id']}`);
  return existsSync(inBase(name)) && readFileSync(inBase(name), 'utf8') === `file of ${name}`;
}

async function finished(): Promise<Opened['underWay']> {
  const ids = Array.from({ length: UNDER_WAY }, (_, at) => underWayId(at));
  const states: unknown[] = [];
  for (const id of ids) states.push((await api.end(`/v1/tasks/${id}`))['state']);
  return { succeeded: states.filter((state) => state === 'success').length, right: ids.filter(isMoved).length };
}

async function finishedPlans(): Promise<Opened['plans']> {
  const stateOf = async (at: Api, id: string): Promise<string> => String((await at.end(`/v1/plans/${id}`))['state']);
  const plan = { ended: await stateOf(api, made.plans.ended), underWay: await stateOf(api, made.plans.under_way) };
  const steps = ['ended', 'under-way-plan'].flatMap((name) => planOf(name).payload.steps.map((_, at) => `${name}-${at}`));
  return { ...plan, right: steps.filter(isMoved).length };
}

/** Moved, once: a second move of it would have failed, or have moved something else. */
function isMoved(name: string): boolean {
  const { source_path: from, destination_path: to } = fromTo(name);
  return !existsSync(from) && existsSync(to) && readFileSync(to, 'utf8') === `file of ${name}`;
}

function codeOf(args: readonly string[]): number {
  try {
    execFileSync(process.execPath, writArgs(['--data-dir', DATA, ...args]), { cwd: PLACE, stdio: 'ignore', env: { ...process.env, HOME: PLACE } });
    return 0;
  } catch (error) {
    return Number((error as { status?: number }).status ?? -1);
  }
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : -1;
}
