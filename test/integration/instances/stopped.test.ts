import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInstanceRegistry } from '../../../src/adapters/linux/instances.ts';
import { createStoppedFence, stoppedInstances } from '../../../src/adapters/linux/instances-stopped.ts';
import type { ProcessIdentity } from '../../../src/core/ports/journal.ts';
import { type Holder, startHolder, untilState } from './fixture.ts';

let root: string;
let directory: string;
let holders: Holder[];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-stopped-'));
  directory = path.join(root, 'workers');
  holders = [];
});
afterEach(async () => {
  for (const { child } of holders) child.kill('SIGKILL');
  await Promise.all(holders.map(({ ended }) => ended));
  rmSync(root, { recursive: true, force: true });
});

async function twoHolders(): Promise<readonly [Holder, Holder]> {
  const [one, two] = await Promise.all([startHolder(directory), startHolder(directory)]);
  holders.push(one, two);
  return [one, two];
}

describe('the fence around stopped workers', () => {
  it('ends a sibling that stays stopped, before anything else is started, and no other', async () => {
    const [stopped, living] = await twoHolders();
    stopped.child.kill('SIGSTOP');
    await untilState(stopped.identity.pid, 'T');
    const ended: ProcessIdentity[] = [];
    const fence = createStoppedFence({ directory, instances: createInstanceRegistry({ directory }), graceMs: 20, report: (one) => ended.push(one) });
    await fence.start();
    expect(ended).toEqual([stopped.identity]);
    expect(await stopped.ended).toBe('SIGKILL');
    expect(living.child.exitCode).toBeNull();
    await fence.stop();
  });

  it('goes on looking while it runs, and leaves alone who goes on within the grace', async () => {
    const [first, second] = await twoHolders();
    const report = new Promise<ProcessIdentity>((settle) => {
      const fence = createStoppedFence({ directory, instances: createInstanceRegistry({ directory }), graceMs: 20, report: settle });
      void fence.start().then(() => second.child.kill('SIGSTOP'));
      void second.ended.then(() => fence.stop());
    });
    expect(await report).toEqual(second.identity);
    expect(stoppedInstances(directory)).toEqual([]);
    expect(first.child.exitCode).toBeNull();
  });

  it('needs no directory', () => {
    expect(stoppedInstances(path.join(root, 'none'))).toEqual([]);
  });
});
