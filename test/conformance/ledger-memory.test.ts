import { describe } from 'vitest';
import { ledgerConformance } from './ledger.ts';
import { memoryLedgerRig } from './memory-ledger-rig.ts';

describe('the ledger in memory', () => {
  const rig = memoryLedgerRig();
  ledgerConformance(() => rig);
});
