import { randomUUID } from 'node:crypto';
import { inlineEd25519 } from '../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../src/adapters/crypto/node-crypto.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { readPrivateKey } from '../../../src/data-dir/key-files.ts';
import { signLease } from '../../../src/lease/index.ts';
import type { Installation } from './installation.ts';

/** Another kernel with the same key, which keeps no book of what it has signed: leases for any manifest of the queue `file`. */
export async function strangerKernel({ places }: Installation): Promise<(manifest: TaskManifest) => Promise<string>> {
  const key = await readPrivateKey(places.kernelKey);
  const ed25519 = inlineEd25519(nodeEd25519());
  return (manifest) => {
    const iat = Math.floor(Date.now() / 1000);
    const { task_id, capability_id } = manifest;
    const hash = manifestSha256(manifest);
    return signLease(
      { v: 1, iss: 'writ-kernel', aud: 'file', jti: randomUUID(), task_id, capability_id, manifest_sha256: hash, iat, exp: iat + 3600 },
      key,
      ed25519,
    );
  };
}
