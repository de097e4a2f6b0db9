import { describe } from 'vitest';
import { createMemoryPoolOwnership } from '../../src/adapters/memory/pool.ts';
import { createMemoryPresence } from '../../src/adapters/memory/presence.ts';
import { createMemoryRevocations } from '../../src/adapters/memory/revocations.ts';
import { createMemoryChannels } from '../../src/adapters/memory/signals.ts';
import { channelsConformance } from './channels.ts';

describe('presence, pools, signals and revocations in memory', () => {
  let now = 0;
  const signals = createMemoryChannels();
  const rig = {
    presence: createMemoryPresence({ now: () => now, monotonic: () => now }),
    pool: createMemoryPoolOwnership(),
    feed: createMemoryRevocations(signals),
    signals,
    recorded: async (taskId: string) => signals.recorded(taskId),
    cancelRequested: async (taskId: string) => signals.cancelRequested(taskId),
    pass: async (ms: number) => {
      now += ms;
    },
  };
  channelsConformance(() => rig);
});
