import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { isWritError } from '../../../src/core/errors.ts';
import type { Random } from '../../support/random.ts';
import { manifestOf, type Rig } from '../../support/rig.ts';

/** Must all be 0. */
export interface Violations {
  /** The effect happened again: a source that was made anew was taken, or a copy that was taken away is back. */
  doubled: number;
  /** Accepted, and without an answer in time although pushed again. */
  lost: number;
  /** A FAILURE of a task that can be done, files that are not as the answer says, a signature that does not verify, another answer to the same task. */
  wrong: number;
}

export interface LoadCounts extends Violations {
  tasks: number;
  answered: number;
  /** Pushes that Redis did not take; they are made again. */
  refusedPushes: number;
  /** Pushes of a task that had no answer after a while, with the same id and lease. */
  repushes: number;
  /** Of those: neither a job nor a ledger row was left of the push that had been acknowledged. */
  vanished: number;
  /** Pushes of finished tasks. */
  replays: number;
}

export interface Load {
  readonly counts: LoadCounts;
  /** Times of the answers, milliseconds since the push, by the moment of the answer. */
  readonly answers: readonly { readonly at: number; readonly ms: number }[];
  /** The words for what went wrong, the first ones. */
  readonly words: readonly string[];
  /** No new tasks; resolves when every task has an answer or is lost, and everything has been looked at once more. */
  finish(): Promise<void>;
}

const AGAIN_AFTER_MS = 4000;
const LOST_AFTER_MS = 120_000;
const LOOK_MS = 150;
const PUSH_AGAIN_MS = 200;
const MAX_WORDS = 20;

type Kind = 'FILE_MOVE' | 'FILE_COPY' | 'FILE_DELETE';

interface Task {
  readonly kind: Kind;
  readonly manifest: TaskManifest;
  readonly lease: string;
  readonly source: string;
  readonly destination: string;
  readonly content: string;
  readonly pushedAt: number;
  lastPush: number;
  acknowledged: boolean;
  result?: string;
}

/**
 * Keeps `width` tasks of one pool under way, as a careful producer does: what has no answer after a while is pushed again,
 * same id and lease. Right after an answer the model makes the source anew (a copy: takes the destination away) and from then
 * on that must stay so; half of the finished tasks are pushed once more.
 */
export function startLoad(rig: Rig, width: number, random: Random): Load {
  const counts: LoadCounts = { tasks: 0, answered: 0, refusedPushes: 0, repushes: 0, vanished: 0, replays: 0, doubled: 0, lost: 0, wrong: 0 };
  const answers: { at: number; ms: number }[] = [];
  const words: string[] = [];
  const open = new Set<Task>();
  const ended: Task[] = [];
  let finishing = false;

  const bad = (what: keyof Violations, task: Task, says: string): void => {
    counts[what] += 1;
    if (words.length < MAX_WORDS) words.push(`${what} ${task.manifest.task_id} ${task.kind}: ${says}`);
  };
  const push = async (task: Task): Promise<void> => {
    for (;;) {
      try {
        const receipt = await rig.enqueue.push({ v: 1, manifest: task.manifest, lease: task.lease });
        if (receipt.kind === 'conflict') bad('wrong', task, 'conflict');
        task.acknowledged = true;
        task.lastPush = performance.now();
        return;
      } catch (error) {
        if (!isWritError(error)) throw error;
        counts.refusedPushes += 1;
        if (performance.now() - task.pushedAt > LOST_AFTER_MS) return;
        await delay(PUSH_AGAIN_MS);
      }
    }
  };
  const begin = async (): Promise<void> => {
    const number = counts.tasks;
    counts.tasks += 1;
    const kind = random.pick<Kind>(['FILE_MOVE', 'FILE_MOVE', 'FILE_COPY', 'FILE_DELETE']);
    const [source, destination] = [join(rig.base, `s${number}`), join(rig.base, `d${number}`)];
    const content = `content of ${number}`;
    writeFileSync(source, content);
    const manifest = manifestOf(kind, source, kind === 'FILE_DELETE' ? undefined : destination);
    const task: Task = {
      ...{ kind, manifest, source, destination, content, lease: await rig.lease(manifest) },
      ...{ pushedAt: performance.now(), lastPush: performance.now(), acknowledged: false },
    };
    await push(task);
    open.add(task);
  };
  const end = async (task: Task, result: string): Promise<void> => {
    open.delete(task);
    task.result = result;
    counts.answered += 1;
    answers.push({ at: performance.now(), ms: performance.now() - task.pushedAt });
    const { status, error } = JSON.parse(result) as { status: string; error: unknown };
    if (status !== 'SUCCESS') bad('wrong', task, JSON.stringify(error));
    else if (!(await rig.verify(task.manifest, result))) bad('wrong', task, 'the signature does not verify');
    else if (!isDone(task)) bad('wrong', task, 'the files are not as the answer says');
    else {
      aftermath(task);
      ended.push(task);
      if (random.chance(0.5)) await replay(task);
    }
  };
  const replay = async (task: Task): Promise<void> => {
    counts.replays += 1;
    await push(task);
  };
  const look = async (task: Task): Promise<void> => {
    const row = await rig.ledger.row(task.manifest.task_id).catch(() => 'away' as const);
    if (row === 'away') return;
    if (row?.result !== undefined && (row.state === 'success' || row.state === 'failure')) return end(task, row.result);
    const now = performance.now();
    if (now - task.pushedAt > LOST_AFTER_MS) {
      open.delete(task);
      return bad('lost', task, `no answer; row ${JSON.stringify(row)}`);
    }
    if (now - task.lastPush < AGAIN_AFTER_MS) return;
    counts.repushes += 1;
    if (row === undefined && (await rig.enqueue.jobState(task.manifest.task_id).catch(() => 'away')) === undefined) counts.vanished += 1;
    await push(task);
  };
  const loop = async (): Promise<void> => {
    while (!finishing || open.size > 0) {
      if (!finishing) await Promise.all(Array.from({ length: width - open.size }, begin));
      await Promise.all([...open].map(look));
      await delay(LOOK_MS);
    }
  };
  const running = loop();
  running.catch(() => undefined);

  return {
    counts,
    answers,
    words,
    async finish() {
      finishing = true;
      await running;
      await lastLook();
    },
  };

  /** Every finished task once more, in the ledger and on the disk. */
  async function lastLook(): Promise<void> {
    for (let from = 0; from < ended.length; from += 100) await Promise.all(ended.slice(from, from + 100).map(lookAtEnded));
  }

  async function lookAtEnded(task: Task): Promise<void> {
    if (!isUntouched(task)) bad('doubled', task, 'the files are not as the model left them');
    await push(task);
    const row = await rig.ledger.row(task.manifest.task_id);
    // A row that a failover took away is written back by the delivery of this push.
    if (row?.state === 'success' && row.result !== task.result) bad('wrong', task, 'another answer to the same task');
  }
}

/** The files are as a SUCCESS says. */
function isDone({ kind, source, destination, content }: Task): boolean {
  const there = kind === 'FILE_DELETE' || (existsSync(destination) && readFileSync(destination, 'utf8') === content);
  return there && existsSync(source) === (kind === 'FILE_COPY');
}

const ANEW = 'made anew';

/** What a second effect would undo. */
function aftermath({ kind, source, destination }: Task): void {
  if (kind === 'FILE_COPY') unlinkSync(destination);
  else writeFileSync(source, ANEW);
}

function isUntouched({ kind, source, destination, content }: Task): boolean {
  if (kind === 'FILE_COPY') return !existsSync(destination) && readFileSync(source, 'utf8') === content;
  if (!existsSync(source) || readFileSync(source, 'utf8') !== ANEW) return false;
  return kind === 'FILE_DELETE' || readFileSync(destination, 'utf8') === content;
}
