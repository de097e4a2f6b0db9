import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import type { Api, TaskBody } from './api.ts';
import { createFiles } from './counted-moves.ts';
import type { Engine } from './engine.ts';
import { type Project, ROLES } from './project.ts';

const REFUSED_WITHIN_MS = patient(300_000);
const API_WITHIN_MS = patient(60_000);
/** What a role says that finds a database of a newer version. */
const REFUSAL = /has schema \d+, this version of Writ reads \d+/;

/** What the earlier image did on the data of the newer one. */
export interface Downgraded {
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

export const refusedWell = ({ queued, refused, searched, untouched }: Downgraded): boolean =>
  queued.startsWith('202') && refused.includes('worker') && searched !== 'wrong' && untouched;

/** The earlier image is put back while a job waits on the queue: which roles refuse, and whether anything is done. */
export async function downgrade(api: Api, engine: Engine, project: Project, volume: string, putBefore: () => Promise<void>): Promise<Downgraded> {
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
  // Without the kernel it is never healthy, but it listens.
  for (const end = performance.now() + API_WITHIN_MS; performance.now() < end && !(await listens(api)); ) await delay(500);
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

const listens = (api: Api): Promise<boolean> =>
  api.send('GET', '/healthz').then(
    () => true,
    () => false,
  );

/** An index of the newer image must not make the earlier one's answer another: the letter is there, and has not moved. */
async function searchForLetter(api: Api): Promise<Downgraded['searched']> {
  const answer = await api.send('POST', '/v1/search', { pattern: 'letter', fixed_strings: true }).catch(() => undefined);
  if (answer === undefined || answer.status >= 400) return 'refused';
  const text = JSON.stringify(answer.body);
  return text.includes('waiting/letter"') && !text.includes('waiting/letter-2"') ? 'found' : 'wrong';
}

/** A move that is pushed while the worker is away, seen by the worker of the image before, and done by that of now. */
export function waitingMove(volume: string): TaskBody {
  const files = createFiles(volume, 'waiting');
  if (files.read('letter') === undefined && files.read('letter-2') === undefined) files.write('letter', 'letter');
  return {
    task_id: 'waiting',
    capability_id: 'FILE_MOVE',
    inputs: { source_path: files.inside('letter'), destination_path: files.inside('letter-2') },
    constraints: {},
  };
}
