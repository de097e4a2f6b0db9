import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import type { Machine } from './machine.ts';

export const ROLES = ['kernel', 'worker', 'api', 'index-host'] as const;
export type Role = (typeof ROLES)[number];

const BACK_MS = patient(120_000);
const LOOK_MS = 500;

/** What systemd says of a unit. */
export interface Unit {
  readonly state: string;
  readonly result: string;
  readonly restarts: number;
  /** 0: none runs. */
  readonly pid: number;
  readonly status: number;
}

export async function unitOf(machine: Machine, role: Role): Promise<Unit> {
  const text = await machine.must('systemctl', 'show', `writ-${role}`, '-p', 'ActiveState,Result,NRestarts,MainPID,ExecMainStatus');
  const said = Object.fromEntries(text.split('\n').map((line) => line.split('=') as [string, string]));
  const number = (name: string): number => Number(said[name]);
  return {
    state: said['ActiveState'] ?? '',
    result: said['Result'] ?? '',
    restarts: number('NRestarts'),
    pid: number('MainPID'),
    status: number('ExecMainStatus'),
  };
}

/** A command of the program, as the account that the roles have. */
export const writ = (machine: Machine, ...words: readonly string[]) =>
  machine.inside('setpriv', '--reuid=writ', '--regid=writ', '--clear-groups', 'env', 'WRIT_DATA_DIR=/var/lib/writ', ...PROGRAM, ...words);

const PROGRAM = ['/usr/bin/node', '/opt/writ/dist/src/bin/writ.js', '--config', '/etc/writ/writ.toml'];

let moves = 0;

/** A file is made and moved by a task that is waited for: kernel and worker serve. */
export async function isServed(machine: Machine): Promise<boolean> {
  moves += 1;
  const [from, to] = [`/srv/files/from-${moves}`, `/srv/files/to-${moves}`];
  const inputs = { source_path: from, destination_path: to };
  const manifest = JSON.stringify({ task_id: `systemd-${moves}`, capability_id: 'FILE_MOVE', inputs, constraints: {} });
  await machine.must('sh', '-c', `printf content > ${from} && chown writ: ${from} && printf '%s' '${manifest}' > /tmp/task.json && chmod 644 /tmp/task.json`);
  const { code } = await writ(machine, 'push', '/tmp/task.json', '--sign', '--wait', '--timeout', '60s');
  return code === 0 && (await machine.inside('test', '-f', to)).code === 0 && (await machine.inside('test', '-e', from)).code === 1;
}

/** `/readyz` of the API, and a content search through the host of the index. */
export async function isReady(machine: Machine): Promise<boolean> {
  const look = "const r = await fetch('http://127.0.0.1:8377/readyz'); process.exitCode = r.status === 200 ? 0 : 1";
  const api = await machine.inside('node', '--input-type=module', '-e', look);
  const index = await writ(machine, 'index', 'status', '--json');
  return api.code === 0 && index.code === 0;
}

/** Whether within the time a role was started once more, and all serve: a move is done, the API is ready, the index answers. */
export async function isBack(machine: Machine, role: Role, before: Unit): Promise<boolean> {
  const end = performance.now() + BACK_MS;
  while (performance.now() < end) {
    const now = await unitOf(machine, role);
    if (now.restarts > before.restarts && now.state === 'active' && now.pid !== before.pid && (await isReady(machine))) return isServed(machine);
    await delay(LOOK_MS);
  }
  return false;
}
