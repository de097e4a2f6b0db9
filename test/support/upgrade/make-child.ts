import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  BASE,
  DATA,
  ENDED,
  type EndedTask,
  fromTo,
  inBase,
  MADE,
  type Made,
  manifestOf,
  PLACE,
  PLAN_STEPS,
  planOf,
  SETTINGS,
  TREE,
  UNDER_WAY,
  underWayId,
} from './ground.ts';
import { type Api, runningApi } from './http.ts';
import { inodesIn } from './inodes.ts';
import { schemasIn } from './schemas.ts';

/**
 * Has a program make an installation with tasks of every end and some under way, and kills it. Run in a mount namespace of
 * its own: `<compiled writ.js> <directory> <commit>`. Leaves everything in the directory, and prints what was made.
 */
const [program = '', directory = '', commit = ''] = process.argv.slice(2);
const LOOK_MS = 50;

execFileSync('mount', ['--bind', directory, PLACE]);
for (const place of [BASE, TREE]) mkdirSync(place);
layOut();
const home = { cwd: PLACE, env: { ...process.env, HOME: PLACE } };
const writ = (args: readonly string[]): string => execFileSync(process.execPath, [program, '--data-dir', DATA, ...args], { ...home, encoding: 'utf8' });
writ(['init']);
writeFileSync(path.join(DATA, 'writ.toml'), SETTINGS, { mode: 0o600 });
const up = spawn(process.execPath, [program, '--data-dir', DATA, 'up'], { ...home, stdio: ['ignore', 'ignore', 'inherit'], detached: true });
while (!existsSync(path.join(DATA, 'api.url'))) await delay(LOOK_MS);
const api = runningApi();
await push('moved');
while ((await api.send('GET', '/readyz')).status !== 200) await delay(LOOK_MS);
const made = await work();
await killAll();
const movedAtKill = Array.from({ length: UNDER_WAY }, (_, at) => fromTo(underWayId(at)).destination_path).filter(existsSync).length;
if (movedAtKill === 0 || movedAtKill === UNDER_WAY) throw new Error(`${movedAtKill} of ${UNDER_WAY} moves were done when all was killed; try again`);
const whole: Made = { ...made, moved_at_kill: movedAtKill, inodes: inodesIn(BASE), schemas: schemasIn(DATA) };
writeFileSync(MADE, JSON.stringify(whole, undefined, 1));
process.stdout.write(JSON.stringify(whole));

function layOut(): void {
  for (const name of Object.keys(ENDED) as EndedTask[]) writeFileSync(inBase(name), `file of ${name}`);
  for (let at = 0; at < UNDER_WAY; at += 1) writeFileSync(inBase(underWayId(at)), `file of ${underWayId(at)}`);
  for (const plan of ['ended', 'under-way-plan']) for (let at = 0; at < PLAN_STEPS; at += 1) writeFileSync(inBase(`${plan}-${at}`), `file of ${plan}-${at}`);
  for (let at = 0; at < 20; at += 1) writeFileSync(path.join(TREE, `${at === 7 ? 'found' : 'other'}-${at}.txt`), `line ${at}\n${at === 7 ? 'a needle\n' : ''}`);
}

async function work(): Promise<Omit<Made, 'moved_at_kill' | 'inodes' | 'schemas'>> {
  const tasks: Record<string, { state: string; result: string }> = {};
  for (const name of Object.keys(ENDED) as EndedTask[]) {
    if (name !== 'cancelled') tasks[name] = await ended(name);
  }
  await expectAnswer(api.send('POST', '/v1/tasks/moved-and-undone/undo', {}, { prefer: 'wait=20' }), [200, 202]);
  while (existsSync(fromTo('moved-and-undone').destination_path)) await delay(LOOK_MS);
  await messages(api);
  const planEnded = await plan('ended');
  await api.end(`/v1/plans/${planEnded}`);

  await expectAnswer(api.send('POST', '/v1/queues/file/pause'), [200]);
  await push('cancelled', false);
  await expectAnswer(api.send('POST', '/v1/tasks/cancelled/cancel'), [200, 202]);
  await expectAnswer(api.send('POST', '/v1/queues/file/resume'), [200]);
  tasks['cancelled'] = taskOf(await api.end('/v1/tasks/cancelled'));
  await expectAnswer(api.send('POST', '/v1/queues/file/pause'), [200]);
  const planUnderWay = await plan('under-way-plan');
  for (let at = 0; at < UNDER_WAY; at += 1) {
    await expectAnswer(api.send('POST', '/v1/tasks?sign=true', { manifest: manifestOf(underWayId(at), 'FILE_MOVE', fromTo(underWayId(at))) }), [202]);
  }
  await expectAnswer(api.send('POST', '/v1/queues/file/resume'), [200]);
  // A busy look: the kill must come between two of them.
  while (!existsSync(fromTo(underWayId(3)).destination_path)) await new Promise((resolve) => setImmediate(resolve));
  return { commit, made_at: new Date().toISOString(), tasks, plans: { ended: planEnded, under_way: planUnderWay } };
}

async function ended(name: EndedTask) {
  await push(name);
  const end = taskOf(await api.end(`/v1/tasks/${name}`));
  if (end.state !== ENDED[name].state) throw new Error(`${name} ended with ${JSON.stringify(end)}`);
  return end;
}

function taskOf(body: Readonly<Record<string, unknown>>): { state: string; result: string } {
  return { state: String(body['state']), result: JSON.stringify(body['result'] ?? null) };
}

async function push(name: EndedTask, once = true): Promise<void> {
  const { capability, inputs } = ENDED[name];
  await expectAnswer(api.send('POST', '/v1/tasks?sign=true', { manifest: manifestOf(name, capability, inputs) }), once ? [200, 202] : [202]);
}

async function plan(name: string): Promise<string> {
  const answer = await expectAnswer(api.send('POST', '/v1/plans?sign=true', { envelope: planOf(name) }), [202]);
  return String(answer.body['plan_id']);
}

async function messages(at: Api): Promise<void> {
  const ops = [1, 2, 3].map((n) => ({
    ...{ op: 'message', project: 'backend', key: `mail-${n}`, from: 'BlueLake', to: ['GreenHill'], subject: `Plan ${n}` },
    body_md: `Drop table number ${n} on Friday.`,
  }));
  await expectAnswer(at.send('POST', '/v1/messages', { ops }, { prefer: 'wait=20' }), [200]);
}

async function expectAnswer(sent: ReturnType<Api['send']>, statuses: readonly number[]) {
  const answer = await sent;
  if (!statuses.includes(answer.status)) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Everything at once, as a power cut would; what was started is found by who started it. */
async function killAll(): Promise<void> {
  const pids = [up.pid ?? 0, ...below(up.pid ?? 0)];
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended with what started it.
    }
  }
  while (pids.some((pid) => existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z'))) await delay(LOOK_MS);
}

function below(pid: number): readonly number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...below(child)]);
}
