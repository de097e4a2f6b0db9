import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../../src/adapters/sqlite/open.ts';
import type { OutboxLimits } from '../../../../../src/adapters/sqlite/webhook-outbox/webhook-outbox-room.ts';
import type { NewNotice, WebhookOutbox } from '../../../../../src/core/ports/index.ts';
import { outboxIn } from '../../../../support/webhooks.ts';

const PLACE = { event: undefined, seenAt: 0 };
const NOW = 1_000;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-room-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function notice(id: string, bytes = 10, endpoint = 'crm'): NewNotice {
  return { id, endpoint, taskId: `task-${id}`, capabilityId: 'FILE_MOVE', at: 5, body: 'x'.repeat(bytes) };
}

async function withOutbox(limits: Partial<OutboxLimits>, look: (outbox: WebhookOutbox) => Promise<void>): Promise<void> {
  const outbox = await outboxIn(directory, limits);
  try {
    await look(outbox);
  } finally {
    await outbox.stop();
  }
}

async function add(outbox: WebhookOutbox, ...notices: readonly NewNotice[]): Promise<number> {
  return (await outbox.add(notices, PLACE, NOW)).dropped;
}

async function kill(outbox: WebhookOutbox, ...ids: readonly string[]): Promise<void> {
  const { notices } = await outbox.due('crm', NOW, 1, 1000);
  for (const { id, seq } of notices) if (ids.includes(id)) await outbox.settle(seq, { state: 'dead', problem: 'gone', attempts: 1, firstAt: NOW }, NOW);
}

/** State of each, with `+` where it has its text. */
async function standing(outbox: WebhookOutbox): Promise<Readonly<Record<string, string>>> {
  const { notices } = await outbox.list({}, undefined, 100);
  const texts = await Promise.all(notices.map(async ({ id }) => ((await outbox.read(id))?.body === undefined ? '' : '+')));
  return Object.fromEntries(notices.map(({ id, state }, at) => [id, `${state}${texts[at]}`]));
}

describe('the room of the outbox', () => {
  it('is full of pending notices: what comes is dead without its text, and other endpoints have theirs', async () => {
    await withOutbox({ endpointBytes: 25 }, async (outbox) => {
      expect(await add(outbox, notice('a'), notice('b'), notice('c'), notice('d', 10, 'log'), notice('e', 5))).toBe(1);
      expect(await standing(outbox)).toEqual({ a: 'pending+', b: 'pending+', c: 'dead', d: 'pending+', e: 'pending+' });
      expect((await outbox.read('c'))?.problem).toContain('no room');
    });
  });

  it('is taken from dead notices first, the oldest of them, and never from pending ones', async () => {
    await withOutbox({ endpointBytes: 35 }, async (outbox) => {
      await add(outbox, notice('a'), notice('b'), notice('c'));
      await kill(outbox, 'a', 'b');
      expect(await add(outbox, notice('d'))).toBe(1);
      expect(await standing(outbox)).toEqual({ a: 'dead', b: 'dead+', c: 'pending+', d: 'pending+' });
      // Too large whatever goes: nothing goes.
      expect(await add(outbox, notice('e', 30))).toBe(1);
      expect(await standing(outbox)).toMatchObject({ b: 'dead+', e: 'dead' });
    });
  });

  it('gives a notice its text back when there is room, and says so when there is none', async () => {
    await withOutbox({ endpointBytes: 10 }, async (outbox) => {
      await add(outbox, notice('a'), notice('b'));
      expect(await outbox.bare({ endpoint: 'crm' }, 10)).toEqual([{ id: 'b', endpoint: 'crm', taskId: 'task-b', capabilityId: 'FILE_MOVE', at: 5 }]);
      expect(await outbox.restore('b', 'y'.repeat(10), NOW)).toBe(false);
      await kill(outbox, 'a');
      expect(await outbox.restore('b', 'y'.repeat(10), NOW)).toBe(true);
      expect(await standing(outbox)).toEqual({ a: 'dead', b: 'pending+' });
      expect((await outbox.due('crm', NOW, 1, 10)).notices).toMatchObject([{ id: 'b', body: 'y'.repeat(10), attempts: 0 }]);
      await outbox.lose('a', 'its result is gone');
      expect(await outbox.bare({ endpoint: 'crm' }, 10)).toEqual([]);
      expect(await outbox.bare({ id: 'a' }, 10)).toHaveLength(1);
    });
  });

  it('keeps so many notices and no more: delivered ones go first, then dead ones, which are counted, and never pending ones', async () => {
    await withOutbox({ maxNotices: 2 }, async (outbox) => {
      await add(outbox, ...['a', 'b', 'c', 'd', 'e'].map((id) => notice(id)));
      await kill(outbox, 'b', 'c');
      const [first] = (await outbox.due('crm', NOW, 1, 1)).notices;
      await outbox.settle(first?.seq ?? 0, { state: 'delivered' }, NOW + 9);
      expect(await outbox.trim(0, NOW, 2)).toEqual({ trimmed: 3, forgotten: 2 });
      expect(await standing(outbox)).toEqual({ d: 'pending+', e: 'pending+' });
      expect(await outbox.trim(0, NOW, 2)).toEqual({ trimmed: 0, forgotten: 0 });
    });
  });

  it('is counted as the rows are, whatever was done to them', async () => {
    const step = fc.oneof(
      fc.record({ what: fc.constant('add' as const), id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), bytes: fc.nat(20) }),
      fc.record({ what: fc.constantFrom('kill' as const, 'restore' as const, 'resend' as const), id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') }),
      fc.record({ what: fc.constant('trim' as const) }),
    );
    await withOutbox({ endpointBytes: 40, maxNotices: 4 }, async (outbox) => {
      const db = openDatabase(path.join(directory, 'outbox.db'));
      const rows = db.prepare('SELECT endpoint, state, count(*) AS notices, sum(octet_length(body)) AS bytes FROM notice GROUP BY endpoint, state');
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          for (const one of steps) {
            if (one.what === 'add') await add(outbox, notice(one.id, one.bytes));
            else if (one.what === 'kill') await kill(outbox, one.id);
            else if (one.what === 'restore') await outbox.restore(one.id, 'z'.repeat(12), NOW);
            else if (one.what === 'resend') await outbox.resend({ id: one.id }, NOW);
            else await outbox.trim(0, NOW, 100);
          }
          const counted = (await outbox.counts()).map(({ oldestAt: _oldestAt, ...counts }) => counts);
          expect(counted).toEqual(rows.all());
          expect(counted.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(40);
        }),
        { numRuns: 20 },
      );
      db.close();
    });
  });
});
