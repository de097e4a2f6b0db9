import { workerData } from 'node:worker_threads';
import { threadSide } from '../threads/serve.ts';
import { packReply, unpackRequest } from './batch.ts';
import { bestLibrary } from './inline.ts';
import { nodeEd25519 } from './node-crypto.ts';
import type { CryptoCalls, ThreadSetup } from './pool.ts';

/** A thread that does nothing but Ed25519: it answers each packed batch with one packed reply. */
const setup = workerData as ThreadSetup;
const library = setup.library === 'node' ? nodeEd25519() : await bestLibrary();

threadSide<CryptoCalls, never, string>().serve(() => ({ calls: { run }, ready: library.name, throwing: 'death', transfer: (reply) => [reply as ArrayBuffer] }));

function run(batch: ArrayBuffer): ArrayBuffer {
  const answers = unpackRequest(new Uint8Array(batch)).map((operation) =>
    operation.kind === 'sign' ? library.sign(operation.message, operation.key) : verify(operation.message, operation.signature, operation.key),
  );
  return packReply(answers).buffer;
}

/** A key that the library cannot read verifies nothing; one bad operation must not take its batch down. */
function verify(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  try {
    return library.verify(message, signature, key);
  } catch {
    return false;
  }
}
