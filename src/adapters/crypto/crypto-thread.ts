import { parentPort, workerData } from 'node:worker_threads';
import { packReply, unpackRequest } from './batch.ts';
import { bestLibrary } from './inline.ts';
import { nodeEd25519 } from './node-crypto.ts';
import type { ThreadSetup } from './pool.ts';

/** A thread that does nothing but Ed25519: it says `ready`, then answers each packed batch with one packed reply. */
if (parentPort === null) throw new Error('crypto-thread runs as a worker thread only');
const port = parentPort;
const setup = workerData as ThreadSetup;
const library = setup.library === 'node' ? nodeEd25519() : await bestLibrary();

port.on('message', (batch: ArrayBuffer) => {
  const answers = unpackRequest(new Uint8Array(batch)).map((operation) =>
    operation.kind === 'sign' ? library.sign(operation.message, operation.key) : verify(operation.message, operation.signature, operation.key),
  );
  const reply = packReply(answers);
  port.postMessage(reply.buffer, [reply.buffer]);
});
port.postMessage(library.name);

/** A key that the library cannot read verifies nothing; one bad operation must not take its batch down. */
function verify(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  try {
    return library.verify(message, signature, key);
  } catch {
    return false;
  }
}
