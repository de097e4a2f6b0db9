import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../../../../src/contracts/index.ts';
import { createEventWriter } from '../../../../../src/surfaces/http/routes/event-writer.ts';

const event = (id: number): TaskEvent => ({ id, task_id: 't', capability_id: 'FILE_MOVE', state: 'waiting', at: '2026-01-01T00:00:00.000Z' });
const LIMITS = { heartbeatMs: 10_000, stallMs: 40 };
const never = new AbortController().signal;

describe('the writer of server-sent events', () => {
  it('holds the events back while the reader is slower, and goes on when it reads', async () => {
    const stream = new PassThrough({ highWaterMark: 256 });
    const writer = createEventWriter(stream, { ...LIMITS, stallMs: 10_000 }, never);
    let written = 0;
    const writing = (async () => {
      for (let id = 1; id <= 50; id += 1) {
        await writer.event(event(id));
        written = id;
      }
      writer.end();
    })();
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBeLessThan(10);
    expect(stream.readableLength + stream.writableLength).toBeLessThan(1024);
    let text = '';
    for await (const piece of stream) text += String(piece);
    await writing;
    expect(text.match(/^event: task$/gm)).toHaveLength(50);
    expect(text.startsWith('retry: 2000\n\n')).toBe(true);
  });

  it('writes changes of plans without an id, so that a reader goes on after the last task', async () => {
    const stream = new PassThrough();
    const writer = createEventWriter(stream, LIMITS, never);
    await writer.event(event(7));
    await writer.plan({ plan_id: 'ab'.repeat(32), state: 'running', steps_done: 2, at: '2026-01-01T00:00:00.000Z' });
    writer.end();
    let text = '';
    for await (const piece of stream) text += String(piece);
    expect(text.split('\n\n').slice(1, 3)).toEqual([expect.stringMatching(/^id: 7\nevent: task\n/), expect.stringMatching(/^event: plan\ndata: \{"plan_id"/)]);
    expect(await writer.plan({ plan_id: 'ab'.repeat(32), state: 'success', steps_done: 3, at: '2026-01-01T00:00:00.000Z' })).toBe(false);
  });

  it('drops a reader that takes nothing, with a last event that says so', async () => {
    const stream = new PassThrough({ highWaterMark: 256 });
    const writer = createEventWriter(stream, LIMITS, never);
    let id = 0;
    while (await writer.event(event(id))) id += 1;
    expect(id).toBeLessThan(10);
    expect(stream.writableEnded).toBe(true);
    let text = '';
    for await (const piece of stream) text += String(piece);
    const [last] = text.split('\n\n').slice(-2);
    expect(last).toMatch(/^event: dropped\ndata: \{.*"code":"TIMEOUT"/);
    expect(await writer.event(event(99))).toBe(false);
  });

  it('cuts the connection of a reader that does not even take the last event', async () => {
    const stream = new PassThrough({ highWaterMark: 256 });
    const writer = createEventWriter(stream, LIMITS, never);
    while (await writer.event(event(1)));
    await once(stream, 'close');
    expect(stream.destroyed).toBe(true);
  });

  it('ends its waiting when the reader has gone', async () => {
    const stream = new PassThrough({ highWaterMark: 64 });
    const gone = new AbortController();
    const writer = createEventWriter(stream, { ...LIMITS, stallMs: 60_000 }, gone.signal);
    const waiting = writer.event(event(1));
    gone.abort();
    expect(await waiting).toBe(false);
  });
});
