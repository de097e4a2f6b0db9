import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import type { TaskEvent } from '../../../../src/contracts/index.ts';
import { createNotifier } from '../../../../src/core/notifier.ts';
import { createHttpMeter } from '../../../../src/observability/http-requests.ts';
import { createMetrics } from '../../../../src/observability/metrics.ts';
import { eventsRoute } from '../../../../src/surfaces/http/routes/events.ts';
import { PATIENCE, PATIENCE_MS, patient } from '../../../support/patience.ts';
import { startSite } from './core-site.ts';

const STALL_MS = patient(400);
const NEVER_MS = 1_000_000_000;
/** Both ends' buffers on loopback, and what the server itself may hold, are far less. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Long events: few of them fill every buffer. */
const PAD = 'p'.repeat(4000);

/** Events without an end up to `newest`, each reader at its own place; counts what every reader took. */
function endless() {
  const changes = createNotifier();
  const left = createNotifier();
  const state = { newest: 0, taken: [] as number[], gone: new Set<number>() };
  async function* read(signal: AbortSignal, reader: number): AsyncGenerator<TaskEvent> {
    try {
      for (let id = 1; !signal.aborted; id += 1) {
        while (id > state.newest && !signal.aborted) await changes.next(signal);
        if (signal.aborted) return;
        state.taken[reader] = id;
        yield { id, task_id: PAD, capability_id: 'FILE_MOVE', state: 'success', at: '2026-01-01T00:00:00.000Z' };
      }
    } finally {
      state.gone.add(reader);
      left.wake();
    }
  }
  /** Resolves when the server has given up the reader. */
  const givenUp = async (reader: number): Promise<void> => {
    while (!state.gone.has(reader)) await left.next(AbortSignal.timeout(PATIENCE_MS));
  };
  const events = (_after: number | undefined, signal: AbortSignal) => {
    const reader = state.taken.push(0) - 1;
    return { begun: Promise.resolve(), [Symbol.asyncIterator]: () => read(signal, reader) };
  };
  const tell = (count: number): number => {
    state.newest += count;
    changes.wake();
    return state.newest;
  };
  const index = { list: async () => ({ tasks: [] }), events, health: () => ({ state: 'following', tasks: 0, lagMs: 0 }) as const };
  return { index, state, tell, givenUp };
}

async function setting(stallMs = STALL_MS) {
  const { index, state, tell, givenUp } = endless();
  const metrics = createMetrics('api', '0');
  const site = await startSite({
    routes: [eventsRoute({ streams: 16, heartbeatMs: 10_000, stallMs })],
    services: { index },
    meter: createHttpMeter(metrics),
  });
  const streams = async () => (await metrics.families()).find(({ name }) => name === 'writ_http_event_streams')?.samples[0]?.value;
  /** A client that has asked for the stream and has seen its beginning. */
  const open = async (): Promise<Socket> => {
    const { hostname, port, host } = new URL(site.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${site.secrets.read}\r\n\r\n`);
    await once(socket, 'data');
    return socket;
  };
  return { site, state, tell, streams, open, givenUp };
}

/** Resolves when the reader has seen the event. */
function seen(socket: Socket, id: number): Promise<void> {
  let rest = '';
  return new Promise((resolve) => {
    const look = (text: string): void => {
      rest = (rest + text).slice(-2 * EVENT_BYTES);
      if (!rest.includes(`id: ${id}\n`)) return;
      socket.off('data', look);
      resolve();
    };
    socket.on('data', look);
  });
}

const EVENT_BYTES = 4150;
const FLOOD = Math.ceil((3 * MAX_BYTES) / EVENT_BYTES);

describe('a reader of GET /v1/events that stops reading', () => {
  it('is given no more than the buffers hold, and does not keep another reader waiting', async () => {
    const { site, state, tell, open } = await setting(NEVER_MS);
    await using _ = site;
    const deaf = await open();
    deaf.pause();
    const good = await open();
    // Whoever waited for the deaf one, which is never cut off here, would wait for ever.
    for (let left = FLOOD; left > 0; left -= 1000) await seen(good, tell(1000));
    expect(state.taken[1]).toBe(state.newest);
    expect((state.taken[0] ?? 0) * EVENT_BYTES).toBeLessThan(MAX_BYTES);
    expect([...state.gone]).toEqual([]);
    for (const socket of [deaf, good]) socket.destroy();
  });

  it('is cut off, and the other reader goes on', async () => {
    const { site, state, tell, streams, open } = await setting();
    await using _ = site;
    const deaf = await open();
    deaf.pause();
    const good = await open();
    const cut = new Promise((resolve) => deaf.once('close', resolve));
    while (!state.gone.has(0)) await seen(good, tell(1000));
    // The stream is over on the server's side although nobody reads; the connection is closed with it.
    await vi.waitFor(async () => expect(await streams()).toBe(1), PATIENCE);
    deaf.resume();
    await cut;
    const last = tell(1);
    await seen(good, last);
    good.destroy();
  });

  it('finds out when it reads again soon: the last event says that it was dropped', async () => {
    const { site, tell, open, givenUp } = await setting();
    await using _ = site;
    const slow = await open();
    slow.pause();
    tell(FLOOD);
    await givenUp(0);
    let text = '';
    slow.on('data', (piece: string) => {
      text = (text + piece).slice(-2 * EVENT_BYTES);
    });
    slow.resume();
    await vi.waitFor(() => expect(text).toContain('event: dropped'), PATIENCE);
    expect(text).toMatch(/event: dropped\ndata: \{.*took nothing for [0-9.]+ s","code":"TIMEOUT"\}/);
    expect(text).toContain(`took nothing for ${STALL_MS / 1000} s`);
    slow.destroy();
  });
});
