import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../../src/core/semaphore.ts';

/** Whether a promise has settled once everything that is ready has run. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise(setImmediate);
  return settled;
}

describe('a semaphore', () => {
  it('is held by no more than its permits, and lets the others in in their order', async () => {
    const semaphore = createSemaphore(2);
    await semaphore.acquire();
    await semaphore.acquire();
    const order: string[] = [];
    const third = semaphore.acquire().then(() => order.push('third'));
    const fourth = semaphore.acquire().then(() => order.push('fourth'));
    expect(await hasSettled(third)).toBe(false);
    semaphore.release();
    await third;
    expect(await hasSettled(fourth)).toBe(false);
    semaphore.release();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
  });

  it('is idle when nobody holds it, at once or after the last release', async () => {
    const semaphore = createSemaphore(2);
    expect(await hasSettled(semaphore.idle())).toBe(true);
    await semaphore.acquire();
    await semaphore.acquire();
    const [one, other] = [semaphore.idle(), semaphore.idle()];
    semaphore.release();
    expect(await hasSettled(one)).toBe(false);
    semaphore.release();
    await Promise.all([one, other]);
    expect(await hasSettled(semaphore.idle())).toBe(true);
  });

  it('hands a permit on to whoever waits, so that it is not idle in between', async () => {
    const semaphore = createSemaphore(1);
    await semaphore.acquire();
    const next = semaphore.acquire();
    const idle = semaphore.idle();
    semaphore.release();
    await next;
    expect(await hasSettled(idle)).toBe(false);
    semaphore.release();
    await idle;
  });
});
