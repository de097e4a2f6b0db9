import { inlineEd25519 } from '../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../src/adapters/crypto/node-crypto.ts';
import type { RevocationFeed } from '../../src/core/ports/index.ts';
import { readPrivateKey } from '../../src/data-dir/key-files.ts';
import { signRevocation } from '../../src/lease/index.ts';

/** The kernel's part in a field: it owns the revocation log and publishes what Redis has lost of it. */
export interface KernelLog {
  revoke(jti: string): Promise<void>;
  publish(): Promise<void>;
}

export async function createKernelLog(feed: RevocationFeed, keyFile: string): Promise<KernelLog> {
  const key = await readPrivateKey(keyFile);
  const ed25519 = inlineEd25519(nodeEd25519());
  const log: { n: number; jti: string; token: string }[] = [];
  let turn: Promise<void> = Promise.resolve();
  /** One change at a time, as in the kernel: an entry that is not signed yet must not be published. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  const publish = async (): Promise<void> => {
    const head = await feed.head();
    if (head < log.length) await feed.publish(log.slice(head));
  };
  return {
    revoke: (jti) =>
      inTurn(async () => {
        if (!log.some((entry) => entry.jti === jti)) {
          const n = log.length + 1;
          const at = Math.floor(Date.now() / 1000);
          log.push({ n, jti, token: await signRevocation({ v: 1, n, jti, exp: at + 3600, at }, key, ed25519) });
        }
        await publish();
      }),
    publish: () => inTurn(publish),
  };
}
