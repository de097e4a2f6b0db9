import type { Clock } from '../core/clock.ts';
import { messageOf, WritError } from '../core/errors.ts';
import { type KeyUse, type VerifyKey, verifyKey } from './keys.ts';
import { parseJwks } from './parse-keys.ts';

/** The public keys that are trusted now. Two exist: kernel keys verify leases, executor keys verify results. */
export interface Keyring {
  find(kid: string): Promise<VerifyKey | undefined>;
  all(): Promise<readonly VerifyKey[]>;
}

/** Where a keyring comes from. `stamp` changes when the content may have. */
export interface KeySource {
  readonly name: string;
  stamp(): Promise<string>;
  read(): Promise<string>;
}

export interface KeyringOptions {
  readonly source: KeySource;
  /** Keys of the other use are not in the ring. */
  readonly use: KeyUse;
  readonly clock: Clock;
}

/** How long an answer may rest on the last look at the source's stamp. */
const LOOK_EVERY_MS = 2000;
/** The content is read again after this time whatever the stamp says, so that with the pause between looks no key is trusted for longer than 60 s. */
const MAX_AGE_MS = 58_000;

/**
 * A keyring that follows its source without a timer: a look at the stamp at most every 2 s, a full read on change and
 * about once a minute. So a key that is taken out is refused within 60 s, usually within 2.
 *
 * While the source cannot be read the last keys serve until they are that old; then `find` throws WritError
 * STORAGE_UNAVAILABLE: a worker that cannot tell whom to trust must not answer that a lease is bad.
 */
export function createKeyring({ source, use, clock }: KeyringOptions): Keyring {
  let keys: ReadonlyMap<string, VerifyKey> = new Map();
  let stamp: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  async function current(): Promise<ReadonlyMap<string, VerifyKey>> {
    if (clock.monotonic() - lookedAt >= LOOK_EVERY_MS) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return keys;
  }

  async function look(): Promise<void> {
    const now = clock.monotonic();
    try {
      const found = await source.stamp();
      if (found !== stamp || now - readAt >= MAX_AGE_MS) {
        keys = ringOf(await source.read());
        stamp = found;
        readAt = now;
      }
    } catch (error) {
      if (now - readAt >= MAX_AGE_MS)
        throw new WritError('STORAGE_UNAVAILABLE', `cannot read the keys of ${source.name}: ${messageOf(error)}`, { cause: error });
    }
    lookedAt = now;
  }

  function ringOf(text: string): ReadonlyMap<string, VerifyKey> {
    const ours = parseJwks(text, source.name).map(verifyKey);
    return new Map(ours.filter((key) => key.use === use).map((key) => [key.kid, key]));
  }

  return {
    find: async (kid) => (await current()).get(kid),
    all: async () => [...(await current()).values()],
  };
}

/** A keyring that never changes: for tests, and for a kernel that verifies its own signatures. */
export function fixedKeyring(keys: readonly VerifyKey[]): Keyring {
  const byKid = new Map(keys.map((key) => [key.kid, key]));
  return { find: async (kid) => byKid.get(kid), all: async () => [...byKid.values()] };
}
