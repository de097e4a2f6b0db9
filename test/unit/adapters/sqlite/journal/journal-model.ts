import type { JournalRequest } from '../../../../../src/adapters/sqlite/journal/journal-requests.ts';
import { deleteIntent, failed, identity, inVault, moveIntent, place, succeeded } from '../../../../conformance/journal-fixtures.ts';

/**
 * The journal once more, written the plain way and without a database: what the property test expects of it.
 * One file per root task travels between its place and its vault place; an undo is asked for only when the executor
 * would let it through, that is when the effect stands and the file lies where the effect put it.
 */
export const QUOTA = 100;
const ROOTS = 3;

export type Step =
  | { readonly kind: 'delete'; readonly root: number; readonly bytes: number }
  | { readonly kind: 'undo'; readonly pick: number; readonly bytes: number }
  | { readonly kind: 'end'; readonly pick: number; readonly success: boolean }
  | { readonly kind: 'adopt'; readonly pick: number }
  | { readonly kind: 'seal'; readonly pick: number }
  | { readonly kind: 'purge'; readonly root: number };

interface Task {
  readonly id: string;
  readonly root: number;
  readonly undoOf: string | undefined;
  /** Where its effect puts the file. */
  readonly into: 'vault' | 'place';
  attempts: number;
  state: 'open' | 'success' | 'failure';
  instance: string;
  reserved: number;
  /** Another task with the same effect was taken back instead of this one, and with it what this one had done. */
  superseded: boolean;
}

export interface Expected {
  readonly request: JournalRequest;
  /** The answer, or the code of the refusal. */
  readonly reply: unknown;
}

export class JournalModel {
  readonly tasks = new Map<string, Task>();
  /** Root → bytes kept in its vault place. */
  readonly kept = new Map<number, number>();
  readonly lies: ('vault' | 'place')[] = Array.from({ length: ROOTS }, () => 'place');
  failures = 0;
  clock = 0;

  /** The request of a step and its answer; undefined when the step makes no sense now. */
  take(step: Step): Expected | undefined {
    this.clock += 1;
    switch (step.kind) {
      case 'delete':
        return this.open(`root-${step.root}`, step.root, undefined, 'vault', step.bytes);
      case 'undo':
        return this.undo(step.pick, step.bytes);
      case 'end':
        return this.end(pick(this.all('open'), step.pick), step.success);
      case 'adopt':
        return this.adopt(pick(this.all(), step.pick));
      case 'seal':
        return this.seal(pick(this.all(), step.pick));
      case 'purge':
        return this.purge(step.root);
    }
  }

  all(state?: Task['state']): Task[] {
    return [...this.tasks.values()].filter((task) => state === undefined || task.state === state);
  }

  /** The one standing success that took this one back. */
  undoneBy(id: string): string | undefined {
    const undoers = this.all('success').filter((task) => task.undoOf === id && this.undoneBy(task.id) === undefined);
    if (undoers.length > 1) throw new Error(`${id} was taken back by ${undoers.map((task) => task.id).join(' and ')}`);
    return undoers[0]?.id;
  }

  usage(): { bytes: number; files: number } {
    const reserved = this.all('open').filter((task) => task.into === 'vault');
    const sizes = [...this.kept.values(), ...reserved.map((task) => task.reserved)];
    return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length };
  }

  private open(id: string, root: number, undoOf: string | undefined, into: Task['into'], bytes: number): Expected {
    const vaultPlace = inVault('data', `file-${root}`);
    const home = place('data', `file-${root}`);
    const changes = { undoOf, source: into === 'vault' ? home : vaultPlace, destination: into === 'vault' ? vaultPlace : home };
    const intent = into === 'vault' ? deleteIntent(id, changes) : moveIntent(id, changes);
    const request: JournalRequest = { op: 'open', args: [intent, { bytes, quota: QUOTA }, this.clock] };
    const known = this.tasks.get(id);
    if (known !== undefined && known.state !== 'failure') return { request, reply: { kind: 'conflict' } };
    if (into === 'vault' && this.usage().bytes + bytes > QUOTA) return { request, reply: { kind: 'quota' } };
    const attempts = (known?.attempts ?? 0) + 1;
    this.tasks.set(id, { id, root, undoOf, into, attempts, state: 'open', instance: 'instance-1', reserved: bytes, superseded: false });
    return { request, reply: { kind: 'opened', n: attempts } };
  }

  private undo(choice: number, bytes: number): Expected | undefined {
    const standing = this.all('success').filter((task) => this.undoneBy(task.id) === undefined);
    const able = standing.filter((task) => !task.superseded && this.lies[task.root] === task.into && !this.busy(task.root));
    const target = pick(able, choice);
    if (target === undefined) return undefined;
    const earlier = this.all().filter((task) => task.undoOf === target.id && task.state === 'success').length;
    return this.open(`u${earlier}-${target.id}`, target.root, target.id, target.into === 'vault' ? 'place' : 'vault', bytes);
  }

  /** Of several ways back only one is gone: the others would take back an effect that is no more. */
  private supersede({ id, root, undoOf, into }: Task): void {
    if (undoOf === undefined) return;
    for (const task of this.all('success')) if (task.root === root && task.into !== into && task.id !== undoOf && task.id !== id) task.superseded = true;
  }

  private busy(root: number): boolean {
    return this.all('open').some((task) => task.root === root);
  }

  private end(task: Task | undefined, success: boolean): Expected | undefined {
    if (task === undefined) return undefined;
    const end = success ? succeeded(`result of ${task.id}`) : failed();
    task.state = success ? 'success' : 'failure';
    if (!success) this.failures += 1;
    if (success) {
      this.supersede(task);
      this.lies[task.root] = task.into;
      if (task.into === 'vault') this.kept.set(task.root, task.reserved);
      else this.kept.delete(task.root);
    }
    return { request: { op: 'close', args: [task.id, task.attempts, end, this.clock] }, reply: undefined };
  }

  private adopt(task: Task | undefined): Expected | undefined {
    if (task === undefined) return undefined;
    const to = { instance: `instance-${this.clock}`, pid: 1, startTime: '1' };
    const request: JournalRequest = { op: 'adopt', args: [task.id, task.attempts, task.instance, to] };
    if (task.state === 'open') task.instance = to.instance;
    return { request, reply: task.state === 'open' };
  }

  /** Nothing here is copied, so a seal is always out of place: a refusal amid the batch. */
  private seal(task: Task | undefined): Expected | undefined {
    if (task === undefined) return undefined;
    const sealed = { ...identity(1), sha256: 'ab'.repeat(32) };
    return { request: { op: 'seal', args: [task.id, task.attempts, sealed] }, reply: task.state === 'open' ? 'INTERNAL' : 'WRONG_STATE' };
  }

  private purge(root: number): Expected {
    this.kept.delete(root);
    return { request: { op: 'vaultForget', args: ['data', `file-${root}`] }, reply: undefined };
  }
}

function pick<T>(from: readonly T[], choice: number): T | undefined {
  return from[choice % Math.max(1, from.length)];
}
