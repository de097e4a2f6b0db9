import type { TaskManifest } from '../../contracts/index.ts';
import type { JsonObject } from '../json.ts';
import type { Outcome } from '../outcome.ts';

/** Ed25519, off the event loop. One implementation batches to threads, one runs in line (tests, command line). */
export interface Ed25519 {
  sign(message: Uint8Array, secretKey: Uint8Array): Promise<Uint8Array>;
  verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): Promise<boolean>;
}

/** Signs outcomes with the executor's key. */
export interface ResultSigner {
  /** The exact JSON text of the ExecutionResult. */
  sign(manifest: TaskManifest, manifestSha256: string, outcome: Outcome): Promise<string>;
}

/** Signs how plans end; the same envelope has the same bytes. */
export interface PlanEndSigner {
  signEnd(planSha256: string, envelope: JsonObject): Promise<string>;
}
