import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { withTimeLimit } from '../../../src/core/time-limit.ts';
import { liveBytes } from '../../support/live-bytes.ts';

const LONG_MS = 600_000;

/** Never done: the reason why it was given up. */
const forEver = async (signal: AbortSignal): Promise<unknown> => {
  await once(signal, 'abort');
  return signal.reason;
};

describe('a time limit', () => {
  it('ends what takes longer, also when garbage was collected meanwhile', async () => {
    const ended = withTimeLimit(200, new AbortController().signal, forEver);
    const collecting = setInterval(liveBytes, 20);
    expect(await ended).toMatchObject({ name: 'TimeoutError' });
    clearInterval(collecting);
  });

  it('passes on the signal of its caller, and why it fired', async () => {
    const caller = new AbortController();
    const ended = withTimeLimit(LONG_MS, caller.signal, forEver);
    liveBytes();
    caller.abort(new Error('enough'));
    expect(await ended).toMatchObject({ message: 'enough' });
  });

  it('answers what was done in time', async () => {
    await expect(withTimeLimit(LONG_MS, new AbortController().signal, async () => 'done')).resolves.toBe('done');
    await expect(withTimeLimit(LONG_MS, new AbortController().signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
