import type { MemoryChannels } from '../../../src/adapters/memory/signals.ts';
import type { PlanView, PlanViewChange, PlanViews } from '../../../src/core/ports/index.ts';

/** Plan views as Redis keeps them. */
export class PlanViewsTwin {
  rows = new Map<string, PlanView>();
  readonly #channels: MemoryChannels;

  constructor(channels: MemoryChannels) {
    this.#channels = channels;
  }

  save(): () => void {
    const saved = [...this.rows];
    return () => {
      this.rows = new Map(saved);
    };
  }

  /** The port without a network. */
  port(): PlanViews {
    const change = (id: string, to: Partial<PlanView>): void => {
      const row = this.rows.get(id);
      if (row !== undefined) this.rows.set(id, { ...row, ...to });
    };
    return {
      read: async (id) => this.rows.get(id),
      show: async (id, { state, stepsDone, current, error, result }: PlanViewChange, _exp, now) => {
        const cancelRequested = this.rows.get(id)?.cancelRequested ?? false;
        this.rows.set(id, { id, state, stepsDone, current, error, result, cancelRequested, updated: now });
        return cancelRequested;
      },
      requestCancel: async (id, now) => {
        change(id, { cancelRequested: true, updated: now });
        this.#channels.cancelRequested(id);
        return this.rows.has(id);
      },
      clearCancel: async (id) => change(id, { cancelRequested: false }),
      onChange: async () => async () => undefined,
    };
  }
}
