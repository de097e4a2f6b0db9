import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { inlineEd25519 } from '../../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../../src/adapters/crypto/node-crypto.ts';
import { createPost } from '../../../../src/adapters/http-tool/post.ts';
import type { WebhookOutbox } from '../../../../src/core/ports/index.ts';
import { attempt } from '../../../../src/webhooks/io/attempt.ts';
import { type AttemptReport, createSender, type SenderDeps } from '../../../../src/webhooks/io/sender.ts';
import { GIVE_UP_MS } from '../../../../src/webhooks/notice/attempts.ts';
import { noticeKey, type Receiver, receiver } from '../../../support/webhook-receiver.ts';
import { outboxIn } from '../../../support/webhooks.ts';

const ended: (() => PromiseLike<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

/** A clock that stands until it is set; every sender looks at it when it is woken. */
function handClock(): { at: number; now(): number; monotonic(): number } {
  return { at: 1_800_000_000_000, now: () => clock.at, monotonic: () => 0 };
}
let clock = handClock();

interface Rig {
  readonly at: Receiver;
  readonly directory: string;
  readonly outbox: WebhookOutbox;
  readonly reports: AttemptReport[];
  /** Starts a sender; ends with the test. */
  start(change?: Partial<SenderDeps>, options?: { readonly timeoutMs?: number; readonly allow?: readonly string[]; readonly url?: string }): Promise<Sending>;
  /** A notice of the task. */
  note(taskId: string, text?: string): Promise<string>;
}

interface Sending {
  /** Looks, and resolves when the next attempt has been reported. */
  next(): Promise<AttemptReport>;
  stop(): Promise<void>;
}

let notes = 0;

async function rig(): Promise<Rig> {
  clock = handClock();
  const directory = await mkdtemp(path.join(tmpdir(), 'writ-webhooks-'));
  ended.push(() => rm(directory, { recursive: true }));
  const at = await receiver();
  ended.push(() => at[Symbol.asyncDispose]());
  const outbox = await outboxIn(directory);
  ended.push(() => outbox[Symbol.asyncDispose]());
  const reports: AttemptReport[] = [];
  return {
    at,
    directory,
    outbox,
    reports,
    async start(change = {}, { timeoutMs = 60_000, allow = ['127.0.0.1'], url = at.url } = {}) {
      const post = createPost({ url, allow, field: 'webhooks.endpoints.crm' });
      const ed25519 = inlineEd25519(nodeEd25519());
      let told = (_report: AttemptReport): void => undefined;
      const sender = createSender({
        outbox,
        endpoint: 'crm',
        attempt: (notice, signal) => attempt(notice, { post, key: noticeKey, ed25519, clock, timeoutMs }, signal),
        clock,
        random: () => 0,
        report: (report) => {
          reports.push(report);
          told(report);
        },
        onTrouble: () => undefined,
        ...change,
      });
      ended.push(() => sender.stop());
      await sender.start();
      return {
        next: () =>
          new Promise((resolve) => {
            told = resolve;
            sender.wake();
          }),
        stop: () => sender.stop(),
      };
    },
    async note(taskId, text = 'ended') {
      notes += 1;
      const id = `msg_${notes.toString(16).padStart(40, '0')}`;
      const notice = { id, endpoint: 'crm', taskId, capabilityId: 'FILE_MOVE', at: clock.now(), body: JSON.stringify({ taskId, text }) };
      await outbox.add([notice], { event: undefined, seenAt: 0 }, clock.now());
      return id;
    },
  };
}

const stateOf = async (outbox: WebhookOutbox, id: string): Promise<string | undefined> => (await outbox.read(id))?.state;

describe('the sender of notices', () => {
  it('delivers a signed notice once and records it', async () => {
    const { at, outbox, note, start } = await rig();
    const id = await note('a');
    const sending = await start();
    expect(await sending.next()).toMatchObject({ noticeId: id, end: 'delivered', attempts: 1 });
    expect(at.received).toMatchObject([{ id, timestamp: '1800000000', body: '{"taskId":"a","text":"ended"}', genuine: true }]);
    expect(await stateOf(outbox, id)).toBe('delivered');
    expect((await outbox.read(id))?.body).toBeUndefined();
  });

  it('sends again what it had delivered and not recorded, under the same id and with a new time (W5)', async () => {
    const { at, directory, outbox, note, start } = await rig();
    const id = await note('a');
    // Killed between the answer and the record: the record never happens.
    let end = (): void => undefined;
    const never = new Promise<void>((resolve) => {
      end = resolve;
    });
    await start({ outbox: { due: outbox.due, settle: () => never } });
    ended.push(async () => end());
    await at.arrived(1);
    expect(await stateOf(outbox, id)).toBe('pending');
    const again = await outboxIn(directory);
    ended.push(() => again[Symbol.asyncDispose]());
    clock.at += 5000;
    const sending = await start({ outbox: again });
    await sending.next();
    expect(at.received.map((one) => [one.id, one.timestamp, one.genuine])).toEqual([
      [id, '1800000000', true],
      [id, '1800000005', true],
    ]);
    expect(await stateOf(again, id)).toBe('delivered');
  });

  it('loses nothing at a receiver that dies, answers nonsense, redirects or is too early', async () => {
    const { at, outbox, note, start } = await rig();
    const id = await note('a');
    at.answers.push(
      (response) => response.socket?.destroy(),
      (response) => void response.writeHead(500).end('no'),
      (response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      (response) => response.socket?.end('SSH-2.0-nonsense\r\n'),
      (response) => void response.writeHead(503, { 'retry-after': '1800' }).end(),
      (response) => void response.writeHead(101).end(),
    );
    const sending = await start();
    const waits: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) {
      const { end } = await sending.next();
      expect(end).toBe('failed');
      const nextAt = Date.parse((await outbox.read(id))?.next_at ?? '');
      waits.push(nextAt - clock.at);
      clock.at = nextAt;
    }
    expect(await sending.next()).toMatchObject({ end: 'delivered', attempts: 7 });
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 1_800_000, 160_000]);
    expect(new Set(at.received.map((one) => one.id))).toEqual(new Set([id]));
    expect(at.received.every((one) => one.genuine)).toBe(true);
  });

  it('takes a 2xx whose body never ends as an answer, and reads none of it', async () => {
    const { at, note, start } = await rig();
    await note('a');
    let written = 0;
    at.answers.push((response) => {
      response.writeHead(200);
      const flood = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.on('drain', flood).on('error', () => undefined);
      flood();
    });
    const sending = await start();
    expect(await sending.next()).toMatchObject({ end: 'delivered' });
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('gives up an attempt at a receiver that hangs', async () => {
    const { at, outbox, note, start } = await rig();
    const hung = await note('a');
    at.answers.push(() => undefined);
    const sending = await start({}, { timeoutMs: 100 });
    expect(await sending.next()).toMatchObject({ noticeId: hung, end: 'failed', problem: expect.stringContaining('in time') });
    expect(await stateOf(outbox, hung)).toBe('pending');
  });

  it('keeps a notice for a receiver that hangs for an hour, and delivers it after', async () => {
    const { at, outbox, note, start } = await rig();
    const id = await note('a');
    const hung = 10;
    for (let tries = 0; tries < hung; tries += 1) at.answers.push(() => undefined);
    const startAt = clock.at;
    const sending = await start({}, { timeoutMs: 20 });
    for (let tries = 1; tries <= hung; tries += 1) {
      expect(await sending.next()).toMatchObject({ noticeId: id, end: 'failed', attempts: tries });
      clock.at = Date.parse((await outbox.read(id))?.next_at ?? '');
    }
    expect(clock.at - startAt).toBeGreaterThan(3_600_000);
    await sending.stop();
    at.answers.splice(0);
    expect(await (await start()).next()).toMatchObject({ noticeId: id, end: 'delivered' });
    expect(new Set(at.received.map((one) => one.id))).toEqual(new Set([id]));
  });

  it('tells of other tasks while the receiver hangs over one', async () => {
    const { at, note, start } = await rig();
    await note('a');
    at.answers.push(() => undefined);
    const sending = await start();
    await at.arrived(1);
    const other = await note('b');
    expect(await sending.next()).toMatchObject({ noticeId: other, end: 'delivered' });
  });

  it('keeps the order of one task: the second notice waits until the first is delivered', async () => {
    const { at, note, start } = await rig();
    const [first, second] = [await note('a', 'first'), await note('a', 'second')];
    at.answers.push((response) => void response.writeHead(500).end());
    const sending = await start();
    expect(await sending.next()).toMatchObject({ noticeId: first, end: 'failed' });
    clock.at += 5_000;
    expect(await sending.next()).toMatchObject({ noticeId: first, end: 'delivered' });
    await at.arrived(3);
    expect(at.received.map((one) => one.id)).toEqual([first, first, second]);
  });

  it('ends as a dead letter after a day, and is sent again on request with all its attempts', async () => {
    const { at, outbox, note, start } = await rig();
    const id = await note('a');
    for (let tries = 0; tries < 60; tries += 1) at.answers.push((response) => void response.writeHead(500).end());
    const sending = await start();
    const startAt = clock.at;
    let report = await sending.next();
    while (report.end === 'failed') {
      clock.at = Date.parse((await outbox.read(id))?.next_at ?? '');
      report = await sending.next();
    }
    expect(report).toMatchObject({ end: 'dead', problem: 'the receiver answered 500' });
    expect(clock.at - startAt).toBe(GIVE_UP_MS);
    expect((await outbox.read(id))?.body).toBe('{"taskId":"a","text":"ended"}');
    at.answers.splice(0);
    expect(await outbox.resend({ id }, clock.now())).toBe(1);
    expect(await outbox.resend({ id }, clock.now())).toBe(0);
    expect(await sending.next()).toMatchObject({ noticeId: id, end: 'delivered', attempts: 1 });
  });

  it('reaches no address that is not public, whatever the name says, and keeps the notice', async () => {
    const { at, outbox, note, start } = await rig();
    const id = await note('a');
    const port = new URL(at.url).port;
    const sending = await start({}, { url: `https://localhost:${port}/hook`, allow: [] });
    expect(await sending.next()).toMatchObject({ end: 'failed', problem: 'the host of the receiver has an address that is not allowed (loopback)' });
    expect(at.received).toEqual([]);
    expect(await stateOf(outbox, id)).toBe('pending');
  });

  it('finds a notice due that a wrong clock had put off for years', async () => {
    const { outbox, note, start } = await rig();
    const id = await note('a');
    const { notices } = await outbox.due('crm', clock.at, 1, 1);
    await outbox.settle(notices[0]?.seq ?? 0, { state: 'pending', problem: 'x', attempts: 1, firstAt: clock.at, nextAt: clock.at + 1e11 }, clock.at);
    const sending = await start();
    expect(await sending.next()).toMatchObject({ noticeId: id, end: 'delivered' });
  });

  it('holds nothing against a receiver when it is stopped in an attempt', async () => {
    const { at, outbox, note, start, reports } = await rig();
    const id = await note('a');
    at.answers.push(() => undefined);
    const sending = await start();
    await at.arrived(1);
    await sending.stop();
    expect(await outbox.read(id)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(reports).toEqual([]);
  });
});

describe('the address of an endpoint', () => {
  it.each([
    ['http://example.com/x', 'must be https'],
    ['https://user@example.com/x', 'without user'],
    ['https://example.com/x?token=1', 'without user, query'],
    ['https://0x7f.1/x', 'usual spelling'],
    ['https://example.com/a b', 'writes otherwise'],
  ])('%s is refused', (url, why) => {
    expect(() => createPost({ url, allow: [], field: 'webhooks.endpoints.crm' })).toThrow(why);
  });
});
