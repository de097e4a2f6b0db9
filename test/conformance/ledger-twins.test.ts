import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisLedgerRig } from '../integration/redis/rig.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { EXP, type LedgerRig, NOW, OTHER_SHA, SHA } from './ledger-rig.ts';
import { memoryLedgerRig } from './memory-ledger-rig.ts';

/** One call on a ledger; the answer is compared. */
type Command = (rig: LedgerRig, ids: (name: string) => string, now: number) => Promise<unknown>;

const id = fc.constantFrom('a', 'b');
const epoch = fc.integer({ min: 0, max: 6 });
const owner = fc.constantFrom('', 'i-1', 'i-2');
const started = fc.integer({ min: 1, max: 4 });
const exp = fc.constantFrom(EXP, EXP + 3600, EXP + 90 * 24 * 3600, EXP - 60 * 24 * 3600);
const result = fc.constantFrom('r1', 'r2', '');

const COMMANDS: fc.Arbitrary<{ says: string; run: Command }> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        id,
        manifestSha256: fc.constantFrom(SHA, SHA, SHA, OTHER_SHA),
        jobKey: fc.constantFrom('file:t_a', 'file:7'),
        instance: fc.constantFrom('i-1', 'i-2'),
        exp,
        deadInstance: fc.constantFrom(undefined, 'i-1', 'i-2'),
        look: fc.constantFrom(false, false, true),
        waited: fc.boolean(),
        isStep: fc.constantFrom(false, false, true),
        wish: fc.constantFrom('', 'w1', 'w2'),
      })
      .map(({ id: name, deadInstance, ...claim }) =>
        says('claim', { name, ...claim, deadInstance }, ({ ledger }, ids, now) =>
          ledger.claim({ taskId: ids(name), ...claim, now, ...(deadInstance === undefined ? {} : { deadInstance }) }),
        ),
      ),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        id,
        epoch,
        status: fc.constantFrom('SUCCESS', 'FAILURE', 'FAILURE'),
        errorCode: fc.constantFrom(undefined, 'EXECUTION_FAILED', 'LEASE_EXPIRED', 'INVALID_LEASE'),
        result,
        owner,
        wish: fc.constantFrom('', 'w1', 'w2'),
        goesOn: fc.boolean(),
      })
      .map(({ id: name, ...record }) => says('record', { name, ...record }, ({ ledger }, ids, now) => ledger.record({ taskId: ids(name), ...record, now }))),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ id, epoch, why: fc.constantFrom(undefined, 'crashed' as const), owner })
      .map((a) => says('release', a, ({ ledger }, ids) => ledger.release(ids(a.id), a.epoch, a.why, a.owner))),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ id, job: fc.constantFrom('file:t_a', 'file:7'), started })
      .map((a) => says('park', a, ({ ledger }, ids, now) => ledger.park(ids(a.id), a.job, a.started, now))),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ id, job: fc.constantFrom('file:t_a', 'file:7'), started })
      .map((a) => says('unpark', a, ({ ledger }, ids) => ledger.unpark(ids(a.id), a.job, a.started))),
  },
  { weight: 2, arbitrary: id.map((name) => says('cancel', name, ({ ledger }, ids, now) => ledger.cancel(ids(name), now))) },
  { weight: 1, arbitrary: id.map((name) => says('clearCancel', name, ({ ledger }, ids, now) => ledger.clearCancel(ids(name), now))) },
  { weight: 1, arbitrary: fc.record({ id, result }).map((a) => says('discard', a, ({ ledger }, ids) => ledger.discard(ids(a.id), a.result))) },
  {
    weight: 1,
    arbitrary: fc
      .record({ id, exp, result })
      .map((a) =>
        says('restore', a, ({ ledger }, ids, now) => ledger.restore([{ taskId: ids(a.id), manifestSha256: SHA, result: a.result, exp: a.exp }], now)),
      ),
  },
  { weight: 1, arbitrary: fc.record({ id, result }).map((a) => says('refuse', a, ({ ledger }, ids) => ledger.refuse(ids(a.id), ids('file:7'), a.result))) },
  { weight: 1, arbitrary: id.map((name) => says('refusal', name, ({ ledger }, ids) => ledger.refusal(ids(name), ids('file:7')))) },
  { weight: 1, arbitrary: fc.constant(says('lose', '', (rig) => rig.lose())) },
  { weight: 3, arbitrary: fc.constant(says('markGeneration', '', ({ ledger }) => ledger.markGeneration('g'))) },
);

function says(name: string, args: unknown, run: Command): { says: string; run: Command } {
  return { says: `${name} ${JSON.stringify(args)}`, run };
}

function everything({ ledger, expiresAt }: LedgerRig, ids: (name: string) => string): Promise<unknown> {
  return Promise.all(['a', 'b'].map(ids).flatMap((taskId) => [ledger.row(taskId), expiresAt(taskId)]));
}

describe('the ledger in Redis and its twin in memory', () => {
  let server: TestRedis;
  let redis: LedgerRig;
  beforeAll(async () => {
    server = await startTestRedis({ appendfsync: 'no' });
    redis = await redisLedgerRig(server);
  });
  afterAll(() => server.stop());

  it('give the same answers, rows and lives to any history of calls', async () => {
    let run = 0;
    const history = fc.array(COMMANDS, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(history, async (commands) => {
        run += 1;
        const ids = (name: string): string => `${name}-${run}`;
        const memory = memoryLedgerRig();
        // Only the memory twin starts empty: the Redis one keeps other runs' rows, which no command names.
        await Promise.all([memory, redis].map(({ ledger }) => ledger.markGeneration('g')));
        for (const [step, command] of commands.entries()) {
          const now = NOW + step;
          expect(await command.run(redis, ids, now), command.says).toEqual(await command.run(memory, ids, now));
          expect(await everything(redis, ids), command.says).toEqual(await everything(memory, ids));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('give the same answers to claims, and to records, that are asked for in one turn', async () => {
    let run = 0;
    const only = (word: string) => COMMANDS.filter(({ says: text }) => text.startsWith(`${word} `));
    const burst = fc.oneof(
      fc.array(only('claim'), { minLength: 1, maxLength: 8 }),
      fc.array(only('record'), { minLength: 1, maxLength: 8 }),
      fc.tuple(COMMANDS),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 12 }), async (bursts) => {
        run += 1;
        const ids = (name: string): string => `together-${name}-${run}`;
        const memory = memoryLedgerRig();
        await Promise.all([memory, redis].map(({ ledger }) => ledger.markGeneration('g')));
        for (const [step, commands] of bursts.entries()) {
          const answers = await Promise.all([redis, memory].map((rig) => Promise.all(commands.map((command) => command.run(rig, ids, NOW + step)))));
          const says = commands.map((command) => command.says).join('; ');
          expect(answers[0], says).toEqual(answers[1]);
          expect(await everything(redis, ids), says).toEqual(await everything(memory, ids));
        }
      }),
      { numRuns: 50 },
    );
  });
});
