import type { PlanViewChange } from '../../src/core/ports/index.ts';
import type { Delivery } from '../delivery.ts';

/** The view of a plan that walks on is written no more often, milliseconds. */
export const SHOW_MS = 250;

/** What a delivery shows; its generation stands beside all of it. */
export type WalkView = Omit<PlanViewChange, 'generation'>;

/** What one delivery of a plan has under way beside its step. */
export interface Walk {
  /** Whether a step has been answered in this delivery: the next one has hardly begun. */
  readonly isOnItsWay: boolean;
  readonly holder: Pick<Delivery, 'signal' | 'lockIsFresh'>;
  /** The answer of a step is being written; nobody relies on it before `kept`. False: the journal keeps another one. */
  keeps(writing: Promise<boolean>): void;
  /** Whether all answers so far are on disk. False: the journal says something else, and this delivery decides nothing. */
  kept(): Promise<boolean>;
  /** Shows how far the plan is, now or a little later; a view that is written later and fails is left out. */
  show(change: WalkView): Promise<void>;
  /** Shows what was kept back. */
  shown(): Promise<void>;
  /** Whether somebody has asked for a cancel, as far as this delivery knows: it was told, or has seen it in the view. */
  readonly cancelAsked: boolean;
  /** Nothing of it goes on. Never rejects. */
  end(): Promise<void>;
}

export interface WalkOptions {
  readonly delivery: Pick<Delivery, 'signal' | 'lockIsFresh'>;
  /** Writes the view; answers whether a cancel was asked. */
  readonly write: (change: WalkView) => Promise<boolean>;
  readonly monotonic: () => number;
}

export function createWalk({ delivery, write, monotonic }: WalkOptions): Walk {
  let writing: Promise<boolean> | undefined;
  let asked = false;
  let latest: WalkView | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;
  let showing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** One after the other: a view that was sent later is never overtaken. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const change = latest;
    latest = undefined;
    if (change === undefined) return showing;
    shownAt = monotonic();
    const before = showing.catch(() => undefined);
    showing = before.then(async () => {
      if (await write(change)) asked = true;
    });
    showing.catch(() => undefined);
    return showing;
  }

  return {
    holder: delivery,
    get isOnItsWay() {
      return writing !== undefined;
    },
    keeps(write) {
      // Whoever relies on it meets its failure.
      write.catch(() => undefined);
      const before = writing;
      writing = before === undefined ? write : Promise.all([before, write]).then((all) => all.every(Boolean));
      writing.catch(() => undefined);
    },
    kept: async () => (await writing) ?? true,
    async show(change) {
      latest = change;
      const rest = shownAt + SHOW_MS - monotonic();
      if (rest <= 0) return flush();
      timer ??= setTimeout(() => void flush(), rest);
    },
    shown: flush,
    get cancelAsked() {
      return asked || (delivery.signal.aborted && delivery.signal.reason === 'cancelled');
    },
    async end() {
      clearTimeout(timer);
      await Promise.allSettled([writing, showing]);
    },
  };
}
