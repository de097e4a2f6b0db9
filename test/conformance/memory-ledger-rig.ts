import { createMemoryLedger } from '../../src/adapters/memory/ledger.ts';
import { createMemoryChannels } from '../../src/adapters/memory/signals.ts';
import { systemClock } from '../../src/core/clock.ts';
import { type LedgerRig, RETENTION_MS } from './ledger-rig.ts';

/** The ledger's twin in memory. */
export function memoryLedgerRig(): LedgerRig {
  const channels = createMemoryChannels();
  const ledger = createMemoryLedger({ retentionMs: RETENTION_MS, clock: systemClock, channels });
  return { ledger, signals: channels, expiresAt: async (taskId) => ledger.expiresAt(taskId), lose: async () => ledger.lose() };
}
