import { afterEach, describe, expect, it } from 'vitest';
import type { IndexTask, MaintenanceLane } from '../../../src/core/ports/index.ts';

export interface LaneGround {
  /** A lane with nothing in it that tells of failures; each test gets another. */
  open(onFailed: (task: IndexTask, job: string, error: unknown) => void): Promise<MaintenanceLane>;
}

export const ROOT_A = 'a'.repeat(64);
export const ROOT_B = 'b'.repeat(64);

export function task(keyHash: string, kind: IndexTask['kind'], reason = 'test'): IndexTask {
  return { keyHash, kind, reason };
}

/** Does tasks when it is told to: each that begins waits until it is let go. */
export function gatedHandler() {
  const begun: { readonly task: IndexTask; readonly job: string; readonly signal: AbortSignal; end(error?: Error): void }[] = [];
  const watchers = new Set<() => void>();
  return {
    begun,
    async handle(one: IndexTask, job: string, signal: AbortSignal): Promise<void> {
      await new Promise<void>((resolve, reject) => {
        const end = (error?: Error): void => (error === undefined ? resolve() : reject(error));
        signal.addEventListener('abort', () => reject(new Error('cut short')), { once: true });
        begun.push({ task: one, job, signal, end });
        for (const look of watchers) look();
      });
    },
    /** Resolves when this many tasks have begun. */
    async atLeast(count: number): Promise<void> {
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (begun.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
  };
}

/** What every lane does alike. */
export function laneConformance(name: string, ground: LaneGround): void {
  describe(`the maintenance lane ${name}`, () => {
    let lane: MaintenanceLane | undefined;
    afterEach(() => lane?.stop());

    async function running(onFailed: (task: IndexTask, job: string, error: unknown) => void = () => undefined) {
      lane = await ground.open(onFailed);
      const gate = gatedHandler();
      lane.process(gate.handle);
      await lane.start();
      return { lane, ...gate };
    }

    it('gives a task to the one who does it, with the job of its receipt', async () => {
      const { lane, begun, atLeast } = await running();
      const receipt = await lane.submit(task(ROOT_A, 'build', 'asked by key ops'));
      await atLeast(1);
      expect(receipt.joined).toBe(false);
      expect(begun[0]).toMatchObject({ task: task(ROOT_A, 'build', 'asked by key ops'), job: receipt.job });
    });

    it('keeps what came before it started', async () => {
      lane = await ground.open(() => undefined);
      const { job } = await lane.submit(task(ROOT_A, 'check'));
      const gate = gatedHandler();
      lane.process(gate.handle);
      await lane.start();
      await gate.atLeast(1);
      expect(gate.begun[0]?.job).toBe(job);
    });

    it('does one task of a root at a time, in the order in which they came, and those of other roots beside them', async () => {
      const { lane, begun, atLeast } = await running();
      for (const kind of ['build', 'check', 'merge'] as const) await lane.submit(task(ROOT_A, kind));
      await lane.submit(task(ROOT_B, 'build'));
      await atLeast(2);
      expect(begun.map(({ task }) => `${task.keyHash[0]} ${task.kind}`).sort()).toEqual(['a build', 'b build']);
      begun.find(({ task }) => task.keyHash === ROOT_A)?.end();
      await atLeast(3);
      begun[2]?.end();
      await atLeast(4);
      expect(begun.slice(2).map(({ task }) => task.kind)).toEqual(['check', 'merge']);
    });

    it('joins what is the same and still waits, also behind another task of its root', async () => {
      const { lane, begun, atLeast } = await running();
      await lane.submit(task(ROOT_A, 'build'));
      await atLeast(1);
      const first = await lane.submit(task(ROOT_A, 'reconcile', 'first'));
      const second = await lane.submit(task(ROOT_A, 'reconcile', 'second'));
      const other = await lane.submit(task(ROOT_B, 'reconcile'));
      expect(second).toEqual({ job: first.job, joined: true });
      expect(other.joined).toBe(false);
      await lane.submit(task(ROOT_A, 'merge'));
      begun[0]?.end();
      await atLeast(3);
      begun.find(({ task }) => task.keyHash === ROOT_A && task.kind === 'reconcile')?.end();
      await atLeast(4);
      expect(begun.map(({ task }) => task.kind).sort()).toEqual(['build', 'merge', 'reconcile', 'reconcile']);
    });

    it('does not join what has begun: it may have looked already at what changed since', async () => {
      const { lane, begun, atLeast } = await running();
      const first = await lane.submit(task(ROOT_A, 'reconcile'));
      await atLeast(1);
      const second = await lane.submit(task(ROOT_A, 'reconcile'));
      expect(second.joined).toBe(false);
      expect(second.job).not.toBe(first.job);
      begun[0]?.end();
      await atLeast(2);
      expect(begun[1]?.job).toBe(second.job);
      // The end of the first takes nothing away from the second.
      expect((await lane.submit(task(ROOT_A, 'reconcile'))).joined).toBe(false);
    });

    it('tells of a task that failed, does not try it again, and goes on [FR-LSI-BG-22.2]', async () => {
      const failed: unknown[] = [];
      const { lane, begun, atLeast } = await running((one, job, error) => failed.push([one.kind, job, String(error)]));
      const { job } = await lane.submit(task(ROOT_A, 'build'));
      await lane.submit(task(ROOT_A, 'check'));
      await atLeast(1);
      begun[0]?.end(new Error('no room'));
      await atLeast(2);
      expect(failed).toEqual([['build', job, 'Error: no room']]);
      expect(begun.map(({ task }) => task.kind)).toEqual(['build', 'check']);
    });

    it('cuts a task short when it stops, waits for its end, and calls it no failure [FR-LSI-BG-40.1]', async () => {
      const failed: unknown[] = [];
      const { lane, begun, atLeast } = await running((one) => failed.push(one));
      await lane.submit(task(ROOT_A, 'build'));
      await lane.submit(task(ROOT_A, 'check'));
      await atLeast(1);
      await lane.stop();
      await lane.stop();
      expect(begun).toHaveLength(1);
      expect(begun[0]?.signal.aborted).toBe(true);
      expect(failed).toEqual([]);
    });

    it('may be stopped without having been started', async () => {
      lane = await ground.open(() => undefined);
      await lane.stop();
    });
  });
}
