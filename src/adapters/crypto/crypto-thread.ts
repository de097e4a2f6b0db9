import { workerData } from 'node:worker_threads';
import { threadSide } from '../threads/serve.ts';
import { packReply, unpackRequest } from './batch.ts';
import { carryOut, libraryOf } from './inline.ts';
import type { CryptoCalls, ThreadSetup } from './pool.ts';

/** A thread that does nothing but Ed25519: it answers each packed batch with one packed reply. */
const setup = workerData as ThreadSetup;
const library = await libraryOf(setup.library);

threadSide<CryptoCalls, never, string>().serve(() => ({ calls: { run }, ready: library.name, throwing: 'death', transfer: (reply) => [reply as ArrayBuffer] }));

function run(batch: ArrayBuffer): ArrayBuffer {
  return packReply(unpackRequest(new Uint8Array(batch)).map((operation) => carryOut(library, operation))).buffer;
}
