import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeasePayload } from '../../../src/contracts/index.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { sha256Hex } from '../../../src/core/hash.ts';
import type { Ed25519 } from '../../../src/core/ports/index.ts';
import { authenticateLease, authorizeLease, fixedKeyring, openLease, signLease, signLeases } from '../../../src/lease/index.ts';
import { merkleTree } from '../../../src/lease/merkle.ts';
import { ed25519, encode, LEASE, MANIFEST, NOW, vectorKey } from '../../fixtures/authority/world.ts';

const VECTORS = JSON.parse(readFileSync(new URL('../../fixtures/authority/bundle-vectors.json', import.meta.url), 'utf8')) as {
  readonly vectors: readonly { readonly size: number; readonly sha256_of_all: string; readonly tokens: Readonly<Record<string, string>> }[];
};

const key = vectorKey(0, 'lease', 'kernel-1');
const retired = vectorKey(3, 'lease', 'retired', []);
const keyring = fixedKeyring([key, retired, vectorKey(1, 'lease', 'copies-only', ['FILE_COPY'])]);

const payload = (n: number, change: Partial<LeasePayload> = {}): LeasePayload => ({
  ...LEASE,
  jti: `lease-${n}`,
  task_id: `task-${n}`,
  manifest_sha256: sha256Hex(String(n)),
  ...change,
});
const payloads = (size: number): LeasePayload[] => Array.from({ length: size }, (_, n) => payload(n));
const expected = (n: number, change: object = {}) => ({
  manifest: { task_id: `task-${n}`, capability_id: 'FILE_MOVE' },
  manifestSha256: sha256Hex(String(n)),
  aud: 'file',
  iss: 'writ-kernel',
  ...change,
});
/** Each verifier begins with no memory of its own. */
const fresh = (): Ed25519 => ({ ...ed25519 });
async function judge(token: string, n = 1, change: object = {}, crypto = fresh()): Promise<string> {
  const answer = await authenticateLease(token, expected(n, change), { keyring, ed25519: crypto });
  return answer.ok ? 'granted' : answer.message;
}
const seven = await signLeases(payloads(7), key, ed25519);
const parts = (token = ''): [string, string, string, string] => token.split('.') as [string, string, string, string];
const [h, p, w, s] = parts(seven[1]);

describe('leases that were signed together', () => {
  it.each(VECTORS.vectors.map((vector) => [vector.size, vector] as const))(
    'are, %i of them, what another implementation writes',
    async (size, { tokens, ...vector }) => {
      const own = await signLeases(payloads(size), key, ed25519);
      expect(Object.fromEntries(Object.keys(tokens).map((n) => [n, own[Number(n)]]))).toEqual(tokens);
      expect(sha256Hex(own.join('\n'))).toBe(vector.sha256_of_all);
    },
  );

  it('are each permission for their own manifest, with one signature calculated for all of them', async () => {
    let verified = 0;
    const counting: Ed25519 = {
      ...ed25519,
      verify: (...call) => {
        verified += 1;
        return ed25519.verify(...call);
      },
    };
    const tokens = await signLeases(payloads(500), key, ed25519);
    expect(tokens.every((token) => token.length < 4096)).toBe(true);
    const answers = await Promise.all(tokens.map((token, n) => judge(token, n, {}, counting)));
    expect(new Set(answers)).toEqual(new Set(['granted']));
    expect(verified).toBe(1);
    expect(await judge(tokens[77] ?? '', 77, {}, counting)).toBe('granted');
    expect(verified).toBe(1);
  });

  it('are an ordinary lease when there is one, and none when there is none', async () => {
    expect(await signLeases([LEASE], key, ed25519)).toEqual([await signLease(LEASE, key, ed25519)]);
    expect(await signLeases([], key, ed25519)).toEqual([]);
    await expect(signLeases(payloads(513), key, ed25519)).rejects.toThrow('2 to 512');
    await expect(signLeases([payload(1), payload(2, { jti: '' })], key, ed25519)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'jti' });
    await expect(signLeases(payloads(2), retired, ed25519)).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
  });

  it('expire, are revoked and bind their queue each for itself', async () => {
    const [short = '', long = ''] = await signLeases([payload(1, { exp: NOW + 10 }), payload(2, { exp: NOW + 3000 })], key, ed25519);
    const judged = async (token: string, n: number, revoked: string[] = []) => {
      const opened = await authenticateLease(token, expected(n), { keyring, ed25519 });
      if (!opened.ok) return opened.message;
      const isRevoked = (jti: string): boolean => revoked.includes(jti);
      return authorizeLease(opened.lease, { now: (NOW + 20) * 1000, maxTtl: 7200, isRevoked }, new Set(['FILE_MOVE']))?.code;
    };
    expect([await judged(short, 1), await judged(long, 2), await judged(long, 2, ['lease-2']), await judged(long, 2, ['lease-1'])]).toEqual([
      'LEASE_EXPIRED',
      undefined,
      'INVALID_LEASE',
      undefined,
    ]);
    expect(await judge(seven[1] ?? '', 1, { aud: 'file@elsewhere' })).toContain('for the queue file');
    expect(await judge(seven[1] ?? '', 2)).toContain('another task_id');
    expect(await judge(seven[1] ?? '', 1, { manifestSha256: 'a'.repeat(64) })).toContain('another manifest');
  });
});

const other = await signLeases(payloads(7).reverse(), key, ed25519);
const single = await signLease(payload(1), key, ed25519);
const [sh, sp, ss] = single.split('.');
const place = (size: number, index: number, nodes = Buffer.from(w, 'base64url').subarray(4)): string =>
  Buffer.concat([Buffer.from([size >> 8, size & 255, index >> 8, index & 255]), nodes]).toString('base64url');
const header = (change: object): string => encode(JSON.stringify({ alg: 'EdDSA', kid: 'kernel-1', typ: 'writ-lease-bundle+jws', ...change }));

describe('a lease of a bundle that is forged, damaged or put together from others', () => {
  it('is what the attacks below are made of', async () => {
    expect(await judge([h, p, w, s].join('.'))).toBe('granted');
  });

  it.each<[string, string]>([
    ['has the payload of its neighbour', [h, parts(seven[2])[1], w, s].join('.')],
    ['has a payload of its own', [h, encode(JSON.stringify({ ...payload(1), exp: LEASE.exp + 1 })), w, s].join('.')],
    ['has the path of its neighbour', [h, p, parts(seven[2])[2], s].join('.')],
    ['has the signature of another bundle', [h, p, w, parts(other[1])[3]].join('.')],
    ['has the path of the same lease in another bundle', [h, p, parts(other[5])[2], s].join('.')],
    ['says another place', [h, p, place(7, 0), s].join('.')],
    ['says another size', [h, p, place(8, 1), s].join('.')],
    ['says a size of one', [h, p, place(1, 0, Buffer.of()), s].join('.')],
    ['says a size beyond the bound', [h, p, place(513, 1), s].join('.')],
    ['says a size of 65535 with as many nodes', [h, p, place(65_535, 1, Buffer.alloc(16 * 32)), s].join('.')],
    ['says a place beyond its size', [h, p, place(7, 7), s].join('.')],
    ['has a node too few', [h, p, place(7, 1, Buffer.from(w, 'base64url').subarray(4, -32)), s].join('.')],
    ['has a node too many', [h, p, place(7, 1, Buffer.alloc(4 * 32)), s].join('.')],
    ['has half a node', [h, p, w.slice(0, -20), s].join('.')],
    ['has no path', [h, p, 'AA', s].join('.')],
    ['has a path in another spelling', [h, p, `${w.slice(0, -1)}${w.endsWith('A') ? 'B' : 'A'}`, s].join('.')],
    ['has a padded path', [h, p, `${w}=`, s].join('.')],
    ['has an empty path', [h, p, '', s].join('.')],
    ['has one part more', [h, p, w, w, s].join('.')],
    ['lost its path', [h, p, s].join('.')],
    ['has the header of a single lease', [header({ typ: 'writ-lease+jws' }), p, w, s].join('.')],
    ['is a single lease with a path', [sh, sp, w, ss].join('.')],
    ['is a single lease under the header of a bundle', [h, sp, ss].join('.')],
    ['has a signature over the payload instead of the root', [h, p, w, ss].join('.')],
    ['names a stranger', [header({ kid: 'stranger' }), p, w, s].join('.')],
    ['says more in its header', [header({ crit: [] }), p, w, s].join('.')],
    ['is longer than any lease', `${h}.${p}.${'A'.repeat(4096)}.${s}`],
  ])('%s: refused, also where its bundle is known', async (_what, token) => {
    expect(await judge(token)).not.toBe('granted');
    const knowing = fresh();
    for (const [n, good] of seven.entries()) expect(await judge(good, n, {}, knowing)).toBe('granted');
    expect(await judge(token, 1, {}, knowing)).not.toBe('granted');
    for (const [n, good] of seven.entries()) expect(await judge(good, n, {}, knowing)).toBe('granted');
  });

  it('cannot be granted by any change of one bit, whatever was seen before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 6 }), fc.nat(), fc.integer({ min: 1, max: 63 }), fc.boolean(), async (n, at, change, isKnown) => {
        const good = seven[n] ?? '';
        const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
        const index = at % good.length;
        const before = alphabet.indexOf(good[index] ?? '');
        const bad = before < 0 ? good.replace('.', 'A') : good.slice(0, index) + alphabet[before ^ change] + good.slice(index + 1);
        const crypto = fresh();
        if (isKnown) expect(await judge(good, n, {}, crypto)).toBe('granted');
        expect(await judge(bad, n, {}, crypto)).not.toBe('granted');
      }),
    );
  });

  /** A token whose signature is right, over a root and under a header of our choice. */
  async function signed(size: number, typ = 'writ-lease-bundle+jws', field: object = { v: 1 }): Promise<string> {
    const own = payloads(size).map((one) => encode(canonicalJson(one)));
    const tree = merkleTree(own.map((part) => Buffer.from(part)));
    const head = encode(canonicalJson({ alg: 'EdDSA', kid: 'kernel-1', typ }));
    const root = encode(canonicalJson({ root: encode(tree.root), size, ...field }));
    const signature = await ed25519.sign(Buffer.from(`${head}.${root}`), key.secretKey);
    return [head, own[1], place(size, 1, Buffer.concat(tree.path(1).nodes)), encode(signature)].join('.');
  }

  it('is refused with a right signature over what no kernel signs', async () => {
    expect(await judge(await signed(512))).toBe('granted');
    expect(await judge(await signed(513))).toContain('2 to 512');
    expect(await judge(await signed(7, 'writ-lease+jws'))).toContain('of type');
    expect(await judge(await signed(7, 'writ-result+jws'))).toContain('of type');
    expect(await judge(await signed(7, undefined, { v: 2 }))).toContain('does not verify');
  });

  it('is refused under a key that is retired, or may not sign for the capability', async () => {
    const [token = ''] = await signLeases(payloads(2), { ...retired, capabilities: new Set(['*']) }, ed25519);
    expect(await judge(token, 0)).toContain('may not sign a lease');
    expect((await openLease(token, { keyring: fixedKeyring([]), ed25519 })).ok).toBe(false);
  });

  it('is refused as soon as its key has left the keyring, though its bundle was known', async () => {
    const crypto = fresh();
    expect(await judge(seven[0] ?? '', 0, {}, crypto)).toBe('granted');
    expect((await openLease(seven[0] ?? '', { keyring: fixedKeyring([retired]), ed25519: crypto })).ok).toBe(false);
    // Another key under the same name has signed nothing.
    const impostor = vectorKey(2, 'lease', 'kernel-1');
    expect((await openLease(seven[0] ?? '', { keyring: fixedKeyring([impostor]), ed25519: crypto })).ok).toBe(false);
  });
});

describe('the memory of a bundle', () => {
  /** Answers when it is told to. */
  function held(): { crypto: Ed25519; release(): void } {
    let release = (): void => undefined;
    const open = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { crypto: { ...ed25519, verify: async (...call) => open.then(() => ed25519.verify(...call)) }, release };
  }

  it('keeps no honest lease out while a forged one of the same signature is judged', async () => {
    const bent = Buffer.from(w, 'base64url');
    bent[bent.length - 1] = (bent.at(-1) ?? 0) ^ 1;
    const forged = [h, p, bent.toString('base64url'), s].join('.');
    const { crypto, release } = held();
    const judged = [judge(forged, 1, {}, crypto), ...seven.map((token, n) => judge(token, n, {}, crypto)), judge(forged, 1, {}, crypto)];
    release();
    const [first, ...rest] = await Promise.all(judged);
    expect(first).toContain('does not verify');
    expect(rest.pop()).toContain('does not verify');
    expect(new Set(rest)).toEqual(new Set(['granted']));
  });

  it('remembers no failure of the cryptography', async () => {
    let fails = true;
    const crypto: Ed25519 = {
      ...ed25519,
      verify: async (...call) => {
        if (fails) throw new Error('the thread died');
        return ed25519.verify(...call);
      },
    };
    await expect(judge(seven[0] ?? '', 0, {}, crypto)).rejects.toThrow('the thread died');
    fails = false;
    expect(await judge(seven[0] ?? '', 0, {}, crypto)).toBe('granted');
  });

  it('is of one verifier: what one takes for good says nothing to another', async () => {
    const forged = [h, p, w, parts(other[0])[3]].join('.');
    const credulous: Ed25519 = { ...ed25519, verify: async () => true };
    expect(await judge(forged, 1, {}, credulous)).toBe('granted');
    expect(await judge(forged)).toContain('does not verify');
  });

  it('is bounded, and a bundle that was forgotten is judged again', async () => {
    let verified = 0;
    const counting: Ed25519 = {
      ...ed25519,
      verify: (...call) => {
        verified += 1;
        return ed25519.verify(...call);
      },
    };
    const first = await signLeases([payload(1), payload(2)], key, ed25519);
    expect(await judge(first[0] ?? '', 1, {}, counting)).toBe('granted');
    for (let n = 0; n < 32; n += 1)
      await openLease((await signLeases([payload(n), payload(n + 1, { jti: `x${n}` })], key, ed25519))[0] ?? '', { keyring, ed25519: counting });
    verified = 0;
    expect(await judge(first[1] ?? '', 2, {}, counting)).toBe('granted');
    expect(verified).toBe(1);
  });
});

it('a manifest of the fixtures is what a lease of theirs is for', async () => {
  const tokens = await signLeases([LEASE, payload(5)], key, ed25519);
  const answer = await authenticateLease(
    tokens[0],
    { manifest: MANIFEST, manifestSha256: LEASE.manifest_sha256, aud: 'file', iss: 'writ-kernel' },
    { keyring, ed25519 },
  );
  expect(answer).toMatchObject({ ok: true, lease: LEASE, authority: { jti: 'lease-1', kid: 'kernel-1' } });
});
