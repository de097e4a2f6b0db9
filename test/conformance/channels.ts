import { describe, expect, it } from 'vitest';
import type { PoolOwnership, Presence, RevocationFeed, RevocationSignals, TaskSignals } from '../../src/core/ports/index.ts';
import { deferred } from './deferred.ts';

/** One server's smaller ports, and the means to publish on their channels. */
export interface ChannelsRig {
  readonly presence: Presence;
  readonly pool: PoolOwnership;
  readonly feed: RevocationFeed;
  readonly signals: TaskSignals & RevocationSignals;
  recorded(taskId: string): Promise<void>;
  cancelRequested(taskId: string): Promise<void>;
  /** Resolves when the wall clock of the server has moved on by that much. */
  pass(ms: number): Promise<void>;
}

/** What presence, pool ownership, signals and the revocation feed must do, wherever they live. */
export function channelsConformance(rig: () => ChannelsRig): void {
  describe('presence', () => {
    it('holds a beat for its time, until the next one, or until the process says that it goes', async () => {
      const { presence, pass } = rig();
      expect(await presence.isAlive('i-1')).toBe(false);
      await presence.beat('i-1', 60_000);
      await presence.beat('i-2', 1);
      expect(await presence.isAlive('i-1')).toBe(true);
      await pass(3);
      expect(await presence.isAlive('i-2')).toBe(false);
      await presence.gone('i-1');
      expect(await presence.isAlive('i-1')).toBe(false);
    });
  });

  describe('pool ownership', () => {
    it('gives a pool to the first data directory, again and again, and refuses every other', async () => {
      const { pool } = rig();
      await pool.claimPool('north', 'dir-1');
      await pool.claimPool('north', 'dir-1');
      await expect(pool.claimPool('north', 'dir-2')).rejects.toMatchObject({ code: 'POOL_OWNED', message: expect.stringContaining('dir-1') });
      await pool.claimPool('south', 'dir-2');
    });
  });

  describe('signals', () => {
    it('reach every listener of the task until it leaves', async () => {
      const { signals, recorded } = rig();
      const heard: string[] = [];
      const last = deferred();
      const leaveFirst = await signals.onRecorded('t', () => heard.push('first'));
      const leaveSecond = await signals.onRecorded('t', () => {
        heard.push('second');
        if (heard.filter((who) => who === 'second').length === 2) last.resolve();
      });
      await recorded('t');
      await recorded('other');
      // A message that comes back shows that those before it were delivered.
      await echo(signals, recorded);
      await leaveFirst();
      await leaveFirst();
      await recorded('t');
      await last.promise;
      await leaveSecond();
      await recorded('t');
      await echo(signals, recorded);
      expect(heard).toEqual(['first', 'second', 'second']);
    });

    it('tell every listener which task to cancel', async () => {
      const { signals, cancelRequested } = rig();
      const [one, two] = [deferred<string>(), deferred<string>()];
      const leave = [await signals.onCancel(one.resolve), await signals.onCancel(two.resolve)];
      await cancelRequested('t-7');
      expect(await Promise.all([one.promise, two.promise])).toEqual(['t-7', 't-7']);
      for (const unsubscribe of leave) await unsubscribe();
    });
  });

  describe('the revocation feed', () => {
    const entries = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => ({ n: from + index, token: `token-${from + index}` }));

    it('only grows, by entries in order; what is there already is a no-op', async () => {
      const { feed, signals } = rig();
      const newest = deferred<number>();
      const leave = await signals.onPublished((n) => n === 4 && newest.resolve(n));
      expect(await feed.head()).toBe(0);
      expect(await feed.read(1)).toEqual([]);
      await feed.publish([]);
      await feed.publish(entries(1, 2));
      await feed.publish(entries(1, 2));
      await feed.publish(entries(2, 4));
      expect(await newest.promise).toBe(4);
      await leave();
      expect(await feed.head()).toBe(4);
      expect(await feed.read(1)).toEqual(['token-1', 'token-2', 'token-3', 'token-4']);
      expect(await feed.read(4)).toEqual(['token-4']);
      expect(await feed.read(5)).toEqual([]);
    });

    it('refuses a gap, another token under a number and a wrong numbering, and writes nothing', async () => {
      const { feed } = rig();
      await expect(feed.publish(entries(6, 7))).rejects.toMatchObject({ code: 'WRONG_STATE', message: expect.stringContaining('4') });
      await expect(feed.publish([{ n: 4, token: 'forged' }, ...entries(5, 5)])).rejects.toMatchObject({ code: 'WRONG_STATE' });
      await expect(
        feed.publish([
          { n: 5, token: 'x' },
          { n: 7, token: 'y' },
        ]),
      ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await expect(feed.publish(entries(0, 1))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(await feed.head()).toBe(4);
    });

    it('lets two publishers of the same log run into each other', async () => {
      const { feed } = rig();
      await Promise.all(
        [feed.publish(entries(1, 1203)), feed.publish(entries(1, 1203)), feed.publish(entries(3, 700))].map((publishing) => publishing.catch(() => undefined)),
      );
      await feed.publish([{ n: 1, token: 'token-1' }]);
      expect(await feed.read(1)).toEqual(entries(1, 1203).map(({ token }) => token));
    });
  });
}

async function echo(signals: TaskSignals, recorded: (taskId: string) => Promise<void>): Promise<void> {
  const back = deferred();
  const leave = await signals.onRecorded('echo', () => back.resolve());
  await recorded('echo');
  await back.promise;
  await leave();
}
