import type { Ed25519 } from '../../core/ports/index.ts';
import type { Answer, Operation } from './batch.ts';
import { assertPublicKey, assertSecretKey, isSignature } from './lengths.ts';
import { nodeEd25519 } from './node-crypto.ts';
import { loadSodium } from './sodium.ts';
import type { SyncEd25519 } from './sync.ts';

/** The port over a library call on the calling thread: for the command line, the kernel and tests. */
export function inlineEd25519(library: SyncEd25519): Ed25519 {
  return {
    async sign(message, secretKey) {
      assertSecretKey(secretKey);
      return library.sign(message, secretKey);
    },
    async verify(message, signature, publicKey) {
      assertPublicKey(publicKey);
      return isSignature(signature) && library.verify(message, signature, publicKey);
    },
  };
}

/** libsodium where it can be loaded, else node:crypto. `load` is a parameter so that a machine without it can be tested. */
export async function bestLibrary(load: () => Promise<SyncEd25519 | undefined> = loadSodium): Promise<SyncEd25519> {
  return (await load()) ?? nodeEd25519();
}

/** As `crypto.implementation` says it: libsodium if it can be had, or node:crypto. */
export async function libraryOf(wanted: 'best' | 'node'): Promise<SyncEd25519> {
  return wanted === 'node' ? nodeEd25519() : bestLibrary();
}

/** One operation on this thread. A key that the library cannot read verifies nothing; one bad operation must not take its batch down. */
export function carryOut(library: SyncEd25519, operation: Operation): Answer {
  if (operation.kind === 'sign') return library.sign(operation.message, operation.key);
  try {
    return library.verify(operation.message, operation.signature, operation.key);
  } catch {
    return false;
  }
}
