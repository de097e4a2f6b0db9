import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { ThreadOptions } from '../../../../src/adapters/threads/client.ts';
import { messageOf } from '../../../../src/core/errors.ts';
import { endClients, type Rig, rig } from './client-rig.ts';

endClients();

const isClosed = (closed: SharedArrayBuffer): boolean => Atomics.load(new Uint8Array(closed), 0) === 1;

describe('the death of the thread', () => {
  it('is the error of all calls in flight, and is told', async () => {
    const { client, deaths } = rig();
    await client.start();
    const held = Promise.allSettled([client.call('hold', 'a'), client.call('hold', 'b')]);
    await client.call('die', 'by accident');
    expect(await held).toMatchObject([{ reason: { message: 'died: by accident' } }, { reason: { message: 'died: by accident' } }]);
    expect(deaths).toEqual(['died: by accident']);
    expect(client.isRunning).toBe(false);
  });

  it('by its own exit names the exit code', async () => {
    const { client, deaths } = rig();
    await client.start();
    await expect(client.call('leave')).rejects.toThrow('died: 7');
    expect(deaths).toEqual(['died: 7']);
  });

  it('is what a throwing call means where its state cannot be trusted any more', async () => {
    const { client, deaths } = rig({ throwing: 'death' });
    await client.start();
    await expect(client.call('plain')).rejects.toThrow('died: a plain one');
    expect(deaths).toEqual(['died: a plain one']);
  });

  it('before it has opened is the error of start', async () => {
    const { client, launched, deaths } = rig();
    const started = client.start();
    void launched[0]?.terminate();
    await expect(started).rejects.toThrow('died');
    expect(deaths).toHaveLength(1);
  });
});

describe('a thread that has died', () => {
  const dead = async (options: Partial<ThreadOptions<string>>): Promise<Rig> => {
    const made = rig({}, options);
    await made.client.start();
    await expect(made.client.call('leave')).rejects.toThrow('died');
    return made;
  };

  it('is launched again by start alone', async () => {
    const { client, launched } = await dead({ launchedBy: 'start' });
    await expect(client.call('add', 1, 2)).rejects.toThrow('absent');
    await client.start();
    expect(await client.call('add', 1, 2)).toBe(3);
    expect(launched).toHaveLength(2);
  });

  it.each(['startThenCalls', 'calls'] as const)('is launched again by the next call (%s)', async (launchedBy) => {
    const { client, launched } = await dead({ launchedBy });
    expect(await Promise.all([client.call('add', 1, 2), client.call('add', 3, 4)])).toEqual([3, 7]);
    expect(launched).toHaveLength(2);
  });
});

describe('stop', () => {
  it('closes the thread and is no death', async () => {
    const closed = new SharedArrayBuffer(1);
    const { client, deaths } = rig({ closed });
    await client.start();
    await client.stop();
    expect(isClosed(closed)).toBe(true);
    expect(deaths).toEqual([]);
    expect(client.isRunning).toBe(false);
  });

  it('answers what was called before it, and refuses what is called meanwhile', async () => {
    const { client } = rig();
    await client.start();
    const before = Promise.all([client.call('add', 1, 2), client.call('add', 3, 4)]);
    const stopped = client.stop();
    expect(client.isRunning).toBe(false);
    await expect(client.call('add', 5, 6)).rejects.toThrow('absent');
    expect(await before).toEqual([3, 7]);
    await stopped;
  });

  it('leaves nobody waiting: a call that never comes to its end is refused', async () => {
    const { client, deaths } = rig();
    await client.start();
    const held = expect(client.call('hold', 'a')).rejects.toThrow('died');
    await client.stop();
    await held;
    expect(deaths).toEqual([]);
  });

  it('may be called twice, before start, and while the thread opens', async () => {
    const { client, launched } = rig();
    await client.stop();
    expect(launched).toHaveLength(0);
    const started = client.start();
    await Promise.all([client.stop(), client.stop()]);
    expect(await started).toBe('open');
    await client.stop();
    expect(client.isRunning).toBe(false);
  });

  it('is followed by the next start, which waits for the end', async () => {
    const { client, launched } = rig();
    await client.start();
    const stopped = client.stop();
    const ended = once(launched[0] as Worker, 'exit').then(() => 'ended');
    const started = client.start().then(() => launched.length);
    expect(await Promise.race([ended, started])).toBe('ended');
    await stopped;
    expect(await started).toBe(2);
    expect(await client.call('add', 1, 2)).toBe(3);
  });

  it('ends a thread that does not close in time, or is in the midst of a call', async () => {
    for (const hangs of [false, true]) {
      const { client } = rig({ isDeaf: !hangs }, { stopMs: 10 });
      await client.start();
      const call = hangs ? expect(client.call('hang')).rejects.toThrow('died') : undefined;
      await client.stop();
      await call;
      expect(client.isRunning).toBe(false);
    }
  });
});

describe('kill', () => {
  it('ends the thread in the midst of a call, which is no death', async () => {
    const { client, deaths } = rig();
    await client.start();
    const hung = expect(client.call('hang')).rejects.toThrow('died');
    await client.kill();
    await hung;
    expect(deaths).toEqual([]);
    await client.kill();
  });

  it('with a reason refuses the calls in flight before the end has come, and the next thread does not wait for it', async () => {
    const { client, launched } = rig({}, { launchedBy: 'calls' });
    await client.start();
    const hung = client.call('hang');
    const ended = client.kill(new Error('given up')).then(() => 'ended');
    expect(await Promise.race([hung.catch(messageOf), ended])).toBe('given up');
    expect(await client.call('add', 1, 2)).toBe(3);
    expect(launched).toHaveLength(2);
    await ended;
  });

  it('works on a thread that was asked to stop and does not', async () => {
    const { client } = rig({ isDeaf: true });
    await client.start();
    const stopped = client.stop();
    await client.kill();
    await stopped;
  });
});
