import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Call, ToThread } from '../../../../src/adapters/threads/messages.ts';
import type { ThreadLike } from '../../../../src/adapters/threads/process.ts';
import { failed, ok } from '../../../../src/core/result.ts';
import { createIndexKeeper, type IndexKeeper } from '../../../../src/messages/engines/index-keeper.ts';

/** A thread that notes what it is asked for, and answers by a script: why it fails, or nothing. */
class ScriptedThread extends EventEmitter implements ThreadLike {
  readonly #script: (op: string) => string | undefined;

  constructor(script: (op: string) => string | undefined) {
    super();
    this.#script = script;
    queueMicrotask(() => this.emit('message', { id: 0, value: undefined }));
  }
  postMessage(message: ToThread): void {
    queueMicrotask(() => this.#answer(message));
  }
  #answer(message: 'stop' | Call): void {
    if (message === 'stop') return void this.emit('exit', 0);
    const why = this.#script(message.op);
    this.emit('message', { id: message.id, value: why === undefined ? ok(undefined) : failed(why) });
  }
  async terminate(): Promise<void> {
    this.emit('exit', 1);
  }
  ref(): void {}
  unref(): void {}
}

let asked: string[];
let failures: string[];
let script: (string | undefined)[];
let told: EventEmitter;
let keeper: IndexKeeper;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  [asked, failures, script, told] = [[], [], [], new EventEmitter()];
  keeper = createIndexKeeper({
    launch: () =>
      new ScriptedThread((op) => {
        asked.push(op);
        told.emit('asked');
        return script.shift();
      }),
    onEvent: () => undefined,
    onFailed: (why) => told.emit('failed', failures.push(why)),
  });
});
afterEach(async () => {
  await keeper.stop();
  vi.useRealTimers();
});

/** All that promises have still to do is done. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('tries again by itself after pauses that double up to 15 seconds, and begins with the first one when it has worked', async () => {
  script = ['away', 'away', 'away', 'away', 'away', 'away'];
  await keeper.start();
  await settled();
  for (const pauseMs of [1000, 2000, 4000, 8000, 15_000, 15_000]) {
    const before = asked.length;
    vi.advanceTimersByTime(pauseMs - 1);
    await settled();
    expect([pauseMs, asked.length]).toEqual([pauseMs, before]);
    vi.advanceTimersByTime(1);
    await settled();
    expect([pauseMs, asked.length]).toEqual([pauseMs, before + 1]);
  }
  expect(failures).toEqual(['away', 'away', 'away', 'away', 'away', 'away']);
  script = ['away again'];
  keeper.follow();
  await settled();
  vi.advanceTimersByTime(1000);
  await settled();
  expect(asked).toHaveLength(9);
});

it('has changes wait for the end of a pause, so that a server that is away is not asked by each of them', async () => {
  script = ['away'];
  await keeper.start();
  await settled();
  for (let change = 0; change < 100; change += 1) {
    keeper.follow();
    await settled();
  }
  expect([asked, failures]).toEqual([['follow'], ['away']]);
  vi.advanceTimersByTime(1000);
  await settled();
  expect(asked).toEqual(['follow', 'follow']);
});

it('makes anew at once what somebody asks to have made anew, and goes on trying just that', async () => {
  script = ['away', 'still away'];
  await keeper.start();
  await settled();
  const failedAgain = once(told, 'failed');
  keeper.rebuild();
  await failedAgain;
  keeper.follow();
  vi.advanceTimersByTime(2000);
  await settled();
  expect(asked).toEqual(['follow', 'rebuild', 'rebuild']);
});

it('tries nothing any more when it has stopped', async () => {
  script = ['away'];
  await keeper.start();
  await settled();
  await keeper.stop();
  vi.advanceTimersByTime(60_000);
  await settled();
  expect(asked).toEqual(['follow']);
});
