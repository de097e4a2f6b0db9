import type { MemoryChannels } from '../../../src/adapters/memory/signals.ts';
import type { PlanView, PlanViewChange, PlanViews } from '../../../src/core/ports/index.ts';

/** A view, and the generation of who has shown it; `undefined` once somebody has pushed the plan, or had it run on. */
interface Row extends PlanView {
  readonly generation: number | undefined;
}

const isEnd = ({ state }: Pick<PlanView, 'state'>): boolean => state === 'success' || state === 'failure';

/** Plan views as Redis keeps them (`test/conformance/plan-views.ts`). */
export class PlanViewsTwin {
  rows = new Map<string, Row>();
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
    const change = (id: string, to: Partial<Row>): void => {
      const row = this.rows.get(id);
      if (row !== undefined) this.rows.set(id, { ...row, ...to });
    };
    return {
      read: async (id) => {
        const row = this.rows.get(id);
        if (row === undefined) return undefined;
        const { generation: _, ...view } = row;
        return view;
      },
      show: async (id, { generation, state, stepsDone, current, error, result }: PlanViewChange, _exp, now) => {
        const row = this.rows.get(id);
        const cancelRequested = row?.cancelRequested ?? false;
        const known = row?.generation ?? -1;
        const isAhead = known > generation || (row !== undefined && known === generation && isEnd(row) && !isEnd({ state }));
        if (!isAhead) this.rows.set(id, { id, generation, state, stepsDone, current, error, result, cancelRequested, updated: now });
        return cancelRequested;
      },
      open: async (id, seen, beginsAt, now) => {
        const row = this.rows.get(id);
        if (row !== undefined && isEnd(row) && (seen === undefined || !isEnd(seen) || row.updated !== seen.updated)) return false;
        const view = { state: 'waiting', stepsDone: seen?.stepsDone ?? 0, current: undefined, error: undefined, result: undefined } as const;
        const when = beginsAt * 1000 > now ? { notBefore: beginsAt * 1000 } : {};
        this.rows.set(id, { id, ...view, ...when, generation: undefined, cancelRequested: false, updated: now });
        return true;
      },
      requestCancel: async (id, now) => {
        change(id, { cancelRequested: true, updated: now });
        this.#channels.cancelRequested(id);
        return this.rows.has(id);
      },
      clearCancel: async (id) => change(id, { cancelRequested: false, generation: undefined }),
      onChange: async () => async () => undefined,
    };
  }
}
