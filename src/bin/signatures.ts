import { readFile } from 'node:fs/promises';
import type { Config } from '../../config/schema.ts';
import { queueOfJob } from '../../queues/audience.ts';
import { bestLibrary, inlineEd25519 } from '../adapters/crypto/inline.ts';
import { nodeEd25519 } from '../adapters/crypto/node-crypto.ts';
import { isThere } from '../adapters/files/is-there.ts';
import { createRedisRevocations } from '../adapters/redis/revocations.ts';
import { RevocationPayload } from '../contracts/index.ts';
import { systemClock } from '../core/clock.ts';
import { isWritError } from '../core/errors.ts';
import { manifestSha256 } from '../core/hash.ts';
import { peekPayload } from '../core/peek-token.ts';
import type { Ed25519, RevocationFeed } from '../core/ports/index.ts';
import type { SignatureReader } from '../core/ports/signatures.ts';
import { failed, ok } from '../core/result.ts';
import { jwksFile } from '../data-dir/key-files.ts';
import type { DataDirPaths } from '../data-dir/paths.ts';
import { authenticateLease, createKeyring, peekLease, type Verifier, verifyResult, verifyRevocation } from '../lease/index.ts';
import type { CliRedis, CliSettings } from './cli/settings.ts';

/** Reads leases and results with the public keys of the data directory. */
export async function openSignatures({ places, loaded }: CliSettings, redis: CliRedis): Promise<SignatureReader> {
  const { config } = loaded;
  const feed = async () => createRedisRevocations(await redis.connection('producer'));
  return signatureReader({ config, places, feed, ed25519: await openEd25519(config.crypto.implementation) });
}

export interface SignatureWiring {
  readonly config: Config;
  readonly places: DataDirPaths;
  readonly ed25519: Ed25519;
  /** The published revocations. */
  feed(): Promise<Pick<RevocationFeed, 'read'>>;
}

/** The port on the key rings of a data directory; rings follow their files. */
export function signatureReader({ config, places, ed25519, feed }: SignatureWiring): SignatureReader {
  const leases: Verifier = { keyring: createKeyring({ source: jwksFile(places.kernelKeyring), use: 'lease', clock: systemClock }), ed25519 };
  /** Nobody but the kernel writes into its socket's answers; what it signed for this process need not be calculated again. */
  const granted: Verifier = { keyring: leases.keyring, ed25519: { ...ed25519, verify: async () => true } };
  const results: Verifier = { keyring: createKeyring({ source: jwksFile(places.executorKeyring), use: 'result', clock: systemClock }), ed25519 };

  return {
    peek: peekLease,
    async readLease(lease, manifest, queue, isGranted = false) {
      const expected = manifest
        ? { manifest, manifestSha256: manifestSha256(manifest), aud: queue ?? queueOfJob({ manifest, lease }, config.pool.id) }
        : asItSays(lease);
      if (!expected) return failed('this is no lease');
      const answer = await authenticateLease(lease, { ...expected, iss: config.lease.issuer }, isGranted ? granted : leases);
      return answer.ok ? ok({ payload: answer.lease, kid: answer.authority.kid }) : failed(answer.message);
    },
    async revocationOf(jti) {
      for (const token of [...(await localRevocations(places.revocations)), ...(await publishedRevocations(feed))]) {
        if (RevocationPayload.safeParse(peekPayload(token)).data?.jti !== jti) continue;
        const verified = await verifyRevocation(token, leases);
        if (verified.ok) return verified.entry.n;
      }
      return undefined;
    },
    verifyResult: async (result, about) => (await verifyResult(result, about, results)).ok,
  };
}

export async function openEd25519(implementation: 'auto' | 'sodium' | 'node'): Promise<Ed25519> {
  return inlineEd25519(implementation === 'node' ? nodeEd25519() : await bestLibrary());
}

/** Without a manifest a lease is measured by what it says of itself: only signature, key and issuer are judged then. */
function asItSays(lease: string) {
  const claimed = peekLease(lease);
  return claimed && { manifest: claimed, manifestSha256: claimed.manifest_sha256, aud: claimed.aud };
}

async function localRevocations(file: string): Promise<string[]> {
  return isThere(file) ? (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '') : [];
}

/** A lease can be read without Redis; then only this host's copy of the log counts. */
async function publishedRevocations(feed: SignatureWiring['feed']): Promise<readonly string[]> {
  try {
    return await (await feed()).read(1);
  } catch (error) {
    if (isWritError(error)) return [];
    throw error;
  }
}
