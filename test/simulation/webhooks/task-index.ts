import type { ShownState, TaskEvent, TaskRecord } from '../../../src/contracts/index.ts';
import type { TaskIndex } from '../../../src/core/ports/index.ts';
import { followEvents } from '../../../src/core/task-events.ts';
import { EPOCH_MS, type SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';

const LAG_MS = 120;
const MESSAGE_MS = 0.3;

type Row = Pick<TaskRecord, 'task_id' | 'capability_id' | 'state'> & { readonly updated: number };

/** The task index as the follower of outcomes reads it: it hears of ends a moment later, and may be lost and made again. */
export class TaskIndexTwin {
  /** Tasks whose last end nobody has heard of: Redis had lost it before. */
  readonly unheard = new Set<string>();
  /** When each task ended last. */
  readonly endedAt = new Map<string, number>();
  readonly #world: World;
  readonly #rows = new Map<string, Row>();
  readonly #losses: () => number;
  #events: TaskEvent[] = [];
  #floor = EPOCH_MS * 1000;
  #newest = this.#floor;
  #waiting: (() => void)[] = [];

  constructor(world: World, losses: () => number) {
    this.#world = world;
    this.#losses = losses;
  }

  /** A task has ended in Redis, whose time is right. */
  hear(taskId: string, capability: string, state: ShownState): void {
    const [updated, losses] = [Math.floor(EPOCH_MS + this.#world.now), this.#losses()];
    this.unheard.add(taskId);
    this.endedAt.set(taskId, this.#world.now);
    this.#world.scheduler.at(LAG_MS * this.#world.random.number(), undefined, () => {
      if (this.#losses() !== losses) return;
      this.unheard.delete(taskId);
      // News of duplicates may overtake each other; what a row says goes forward.
      if ((this.#rows.get(taskId)?.updated ?? 0) <= updated) this.#rows.set(taskId, { task_id: taskId, capability_id: capability, state, updated });
      this.#newest += 1;
      this.#events.push({ id: this.#newest, task_id: taskId, capability_id: capability, state, at: new Date(updated).toISOString() });
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  /** Its file is deleted: the rows come again, from queues and ledger, and no event does. */
  lose(): void {
    this.#newest += 1_000_000;
    this.#floor = this.#newest;
    this.#events = [];
    for (const wake of this.#waiting.splice(0)) wake();
  }

  portFor(process: SimProcess): Pick<TaskIndex, 'events' | 'list' | 'health'> {
    const ask = <T>(what: string, effect: () => T): Promise<T> => this.#world.call(process, { to: 'journal', what: `index.${what}`, effect });
    return {
      events: (after, signal) =>
        followEvents(after, signal, {
          look: (at) => ask('look', () => ({ events: this.#events.filter(({ id }) => id > at).slice(0, 500), floor: this.#floor, newest: this.#newest })),
          changed: (until) =>
            new Promise((resolve) => {
              this.#waiting.push(() => this.#world.scheduler.at(MESSAGE_MS, process, () => resolve()));
              until.addEventListener('abort', () => resolve(), { once: true });
            }),
          ended: () => false,
        }),
      list: ({ state, since = '' }) =>
        ask('list', () => {
          const rows = [...this.#rows.values()].filter((row) => row.state === state && row.updated >= Date.parse(since));
          return { tasks: rows.map(({ updated, ...row }) => ({ ...row, updated_at: new Date(updated).toISOString() }) as TaskRecord) };
        }),
      health: () => ({ state: 'following', tasks: this.#rows.size, lagMs: 0 }),
    };
  }
}
