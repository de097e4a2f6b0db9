import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { endClients, rig } from './client-rig.ts';

endClients();

describe('calls', () => {
  it('are answered each for itself, in whichever order the answers come', async () => {
    const { client } = rig();
    expect(await client.start()).toBe('open');
    const [first, second] = [client.call('hold', 'first'), client.call('hold', 'second')];
    expect(client.inFlight).toBe(2);
    expect(await client.call('add', 1, 2)).toBe(3);
    await client.call('release', 'second');
    expect(await second).toBe('second');
    await client.call('release', 'first');
    expect(await first).toBe('first');
    expect(client.inFlight).toBe(0);
  });

  it('throw what the thread threw, with its code and field, or the code of the client', async () => {
    const { client } = rig();
    await client.start();
    await expect(client.call('coded')).rejects.toMatchObject({ name: 'WritError', code: 'INVALID_ARGUMENT', field: 'a.b', message: 'not this one' });
    await expect(client.call('plain')).rejects.toMatchObject({ name: 'WritError', code: 'STORAGE_UNAVAILABLE', field: undefined, message: 'a plain one' });
    expect(await client.call('add', 1, 2)).toBe(3);
  });

  it('that cannot be sent, or whose answer cannot, are refused, and nobody else', async () => {
    const { client } = rig();
    await client.start();
    await expect(client.call('add', 1, (() => 1) as never)).rejects.toThrow('could not be cloned');
    expect(client.inFlight).toBe(0);
    expect(await client.call('add', 1, 2)).toBe(3);
  });

  it('move what is to be moved, there and back', async () => {
    const { client } = rig({}, { transfer: (args) => args.filter((arg) => arg instanceof ArrayBuffer) });
    await client.start();
    const given = Uint8Array.of(1, 2, 3).buffer;
    const moved = client.call('bytes', given);
    expect(given.byteLength).toBe(0);
    expect(new Uint8Array(await moved)).toEqual(Uint8Array.of(1, 2, 3));
  });

  it('come after the events that the thread told before it answered', async () => {
    const { client, events } = rig();
    await client.start();
    await client.call('tell', 'a', 'b');
    expect(events).toEqual(['a', 'b']);
  });
});

describe('opening', () => {
  it('that fails is the error of start, with its code and field, and of calls on their way', async () => {
    const { client, deaths } = rig({ refuses: 'coded' });
    await Promise.all([
      expect(client.start()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'a.b' }),
      expect(client.call('add', 1, 2)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' }),
    ]);
    expect(client.isRunning).toBe(false);
    expect(deaths).toEqual([]);
  });

  it('that fails without a code has the code of the client, and the next start tries again', async () => {
    const { client, launched } = rig({ refuses: 'plain' });
    await expect(client.start()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: 'no way in' });
    await expect(client.start()).rejects.toMatchObject({ message: 'no way in' });
    expect(launched).toHaveLength(2);
  });

  it('happens once for two starts', async () => {
    const { client, launched } = rig();
    expect(await Promise.all([client.start(), client.start()])).toEqual(['open', 'open']);
    expect(await client.start()).toBe('open');
    expect(launched).toHaveLength(1);
  });
});

describe('outside of start and stop', () => {
  it.each(['start', 'startThenCalls'] as const)('calls are refused (%s)', async (launchedBy) => {
    const { client, launched } = rig({}, { launchedBy });
    await expect(client.call('add', 1, 2)).rejects.toThrow('absent');
    await client.start();
    await client.stop();
    await expect(client.call('add', 1, 2)).rejects.toThrow('absent');
    expect(launched).toHaveLength(1);
  });

  it('calls launch the thread where they may', async () => {
    const { client, launched } = rig({}, { launchedBy: 'calls' });
    expect(await client.call('add', 1, 2)).toBe(3);
    await client.stop();
    expect(await client.call('add', 1, 2)).toBe(3);
    expect(launched).toHaveLength(2);
  });
});

describe('what keeps the process alive', () => {
  it('is a call in flight, where the thread itself shall not', async () => {
    const { client, launched } = rig({}, { keepsAlive: 'calls' });
    await client.start();
    const worker = launched[0] as Worker;
    const seen: string[] = [];
    for (const what of ['ref', 'unref'] as const) {
      const real = worker[what].bind(worker);
      worker[what] = () => {
        seen.push(what);
        real();
      };
    }
    const held = client.call('hold', 'a');
    await client.call('release', 'a');
    await held;
    expect(seen).toEqual(['ref', 'unref']);
  });
});
