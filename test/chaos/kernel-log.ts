import { inlineEd25519, nodeEd25519 } from '../../src/adapters/crypto/index.ts';
import type { RevocationFeed } from '../../src/core/ports/index.ts';
import { readPrivateKey, signRevocation } from '../../src/lease/index.ts';

/** The kernel's part in a field: it owns the revocation log and publishes what Redis has lost of it. */
export interface KernelLog {
  revoke(jti: string): Promise<void>;
  publish(): Promise<void>;
}

export async function createKernelLog(feed: RevocationFeed, keyFile: string): Promise<KernelLog> {
  const key = await readPrivateKey(keyFile);
  const ed25519 = inlineEd25519(nodeEd25519());
  const log: { n: number; token: string }[] = [];
  let turn: Promise<void> = Promise.resolve();
  const publish = (): Promise<void> => {
    turn = turn
      .catch(() => undefined)
      .then(async () => {
        const head = await feed.head();
        if (head < log.length) await feed.publish(log.slice(head));
      });
    return turn;
  };
  return {
    async revoke(jti) {
      const n = log.length + 1;
      const at = Math.floor(Date.now() / 1000);
      // The place is taken before the signature is there, so that two revocations at once get two numbers.
      const entry = { n, token: '' };
      log.push(entry);
      entry.token = await signRevocation({ v: 1, n, jti, exp: at + 3600, at }, key, ed25519);
      await publish();
    },
    publish,
  };
}
