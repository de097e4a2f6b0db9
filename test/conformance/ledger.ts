import { cancelConformance } from './ledger-cancel.ts';
import { claimConformance } from './ledger-claim.ts';
import { lossConformance } from './ledger-loss.ts';
import { parkedConformance } from './ledger-parked.ts';
import { recordConformance } from './ledger-record.ts';
import { releaseConformance } from './ledger-release.ts';
import type { LedgerRig } from './ledger-rig.ts';

/** What every ledger must do: `docs/protocol.md` sections 1 and 2. */
export function ledgerConformance(rig: () => LedgerRig): void {
  claimConformance(rig);
  recordConformance(rig);
  releaseConformance(rig);
  cancelConformance(rig);
  lossConformance(rig);
  parkedConformance(rig);
}
