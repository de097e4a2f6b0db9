import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTokenFile } from '../../../src/adapters/files/token-file.ts';
import { WritError } from '../../../src/core/errors.ts';
import { createAuthorities, createRevocationMirror, fixedKeyring, type RevocationMirror, signRevocation } from '../../../src/lease/index.ts';
import { ed25519, LEASE, memoryFeed, NOW, testClock, vectorKey } from '../../fixtures/authority/world.ts';

const key = vectorKey(0, 'lease', 'kernel-1');
const retired = vectorKey(1, 'lease', 'kernel-0', []);
const stranger = vectorKey(2, 'lease', 'kernel-1');
const entry = (n: number, by = key, jti = `lease-${n}`): Promise<string> => signRevocation({ v: 1, n, jti, exp: NOW + 100, at: NOW }, by, ed25519);
const tokens = await Promise.all(Array.from({ length: 6 }, (_, index) => entry(index + 1)));
const upTo = (n: number): string[] => tokens.slice(0, n);

let dir: string;
let path: string;
const open: RevocationMirror[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'writ-revocations-'));
  path = join(dir, 'revocations.ndjson');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((mirror) => mirror.stop()));
  await rm(dir, { recursive: true, force: true });
});

async function mirror(keys = [key, retired], onDamage?: (problem: string | undefined) => void): Promise<RevocationMirror> {
  const made = createRevocationMirror({ path, open: openTokenFile, keyring: fixedKeyring(keys), ed25519, ...(onDamage ? { onDamage } : {}) });
  open.push(made);
  await made.start();
  return made;
}

describe('a revocation mirror', () => {
  it('takes entries one after the other and knows what they revoke', async () => {
    const copy = await mirror();
    expect(copy.number).toBe(0);
    await copy.accept(upTo(2));
    expect([copy.number, copy.isRevoked('lease-1'), copy.isRevoked('lease-2'), copy.isRevoked('lease-3')]).toEqual([2, true, true, false]);
    expect(copy.entries()).toEqual(upTo(2).map((token, index) => ({ n: index + 1, token })));
    expect(copy.entries(2)).toEqual([{ n: 2, token: tokens[1] }]);
  });

  it('remembers over a restart, and stops twice', async () => {
    const first = await mirror();
    await first.accept(upTo(3));
    await Promise.all([first.stop(), first.stop()]);
    const second = await mirror();
    expect([second.number, second.isRevoked('lease-3')]).toEqual([3, true]);
    await second.accept(tokens.slice(3));
    expect((await mirror()).number).toBe(6);
  });

  it('passes over what it has, so it never goes back in number', async () => {
    const copy = await mirror();
    await copy.accept(upTo(4));
    await copy.accept(upTo(2));
    await copy.accept([await entry(1, key, 'another')]);
    expect([copy.number, copy.isRevoked('another')]).toEqual([4, false]);
  });

  it.each<[string, () => Promise<string[]>, number]>([
    ['a gap', async () => [tokens[0] ?? '', tokens[2] ?? ''], 1],
    ['a later start', async () => tokens.slice(1), 0],
    ['an entry of a stranger', async () => [tokens[0] ?? '', await entry(2, stranger)], 1],
    ['rubbish', async () => [tokens[0] ?? '', 'rubbish'], 1],
    ['a changed entry', async () => [(tokens[0] ?? '').replace(/.$/, 'A')], 0],
  ])('refuses %s and keeps what came before', async (_what, offered, number) => {
    const copy = await mirror();
    await expect(copy.accept(await offered())).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(copy.number).toBe(number);
    await copy.accept(upTo(3));
    expect((await mirror()).number).toBe(3);
  });

  it('takes entries of a retired key, and remembers those whose key is gone', async () => {
    const copy = await mirror();
    await copy.accept([await entry(1, retired), await entry(2)]);
    expect((await mirror([key])).isRevoked('lease-1')).toBe(true);
  });

  it('survives being torn at every byte of its last write', async () => {
    const copy = await mirror();
    await copy.accept(upTo(2));
    const before = (await readFile(path)).length;
    await copy.accept(tokens.slice(2, 3));
    const { length } = await readFile(path);
    const whole = await readFile(path);
    for (let cut = before; cut < length; cut += cut - before < 5 || length - cut < 5 ? 1 : 37) {
      await writeFile(path, whole);
      await truncate(path, cut);
      const torn = await mirror();
      // The token may be whole although its line feed is not.
      expect(torn.number).toBe(cut >= length - 1 ? 3 : 2);
      await torn.accept(tokens.slice(2, 4));
      expect((await mirror()).number).toBe(4);
    }
  });

  it('does not start on a copy whose number cannot be told', async () => {
    const lines = (list: readonly (string | undefined)[]): string => list.map((token) => `\n${token}\n`).join('');
    const damaged = (token = ''): string => token.replace(/.$/, 'A');
    for (const content of [lines([tokens[0], damaged(tokens[1])]), lines([tokens[0], damaged(tokens[1]), tokens[2]]), lines([tokens[1]]), 'rubbish\n']) {
      await writeFile(path, content);
      await expect(mirror()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    }
  });

  it('reads a file to which two processes have appended the same entries', async () => {
    const [one, two] = [await mirror(), await mirror()];
    await one.accept(upTo(2));
    await two.accept(upTo(3));
    await one.accept(upTo(4));
    await appendFile(path, '\n\n');
    const third = await mirror();
    expect([third.number, third.isRevoked('lease-4')]).toEqual([4, true]);
  });

  it('catches up with the feed, and gives back what the feed has lost', async () => {
    const [copy, feed] = [await mirror(), memoryFeed()];
    feed.log = upTo(3);
    await copy.catchUp(feed);
    expect(copy.number).toBe(3);
    feed.log = [];
    await copy.catchUp(feed);
    expect(feed.log).toEqual(upTo(3));
  });

  it('shares one exchange among the calls that wait for it', async () => {
    const [copy, feed] = [await mirror(), memoryFeed()];
    await Promise.all(Array.from({ length: 20 }, () => copy.catchUp(feed)));
    expect(feed.calls).toBe(1);
  });

  it('looks again for a call that comes while it looks', async () => {
    const [copy, feed] = [await mirror(), memoryFeed()];
    const { head } = feed;
    let published: Promise<void> | undefined;
    feed.head = async () => {
      const seen = await head();
      if (published === undefined) {
        feed.log = upTo(1);
        published = copy.catchUp(feed);
      }
      return seen;
    };
    await copy.catchUp(feed);
    await published;
    expect(copy.isRevoked('lease-1')).toBe(true);
  });

  it('tells when the feed cannot be reached or carries what does not verify', async () => {
    const [copy, feed] = [await mirror(), memoryFeed()];
    feed.down = true;
    await expect(copy.catchUp(feed)).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    feed.down = false;
    feed.log = [await entry(1, stranger)];
    await expect(copy.catchUp(feed)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(copy.number).toBe(0);
  });

  it('says once that the published log is damaged, why, and once that it is whole again; an outage is no damage', async () => {
    const told: (string | undefined)[] = [];
    const copy = await mirror([key], (problem) => void told.push(problem));
    const feed = memoryFeed();
    feed.down = true;
    await expect(copy.catchUp(feed)).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    expect(copy.damage).toBeUndefined();
    feed.down = false;
    feed.log = ['rubbish'];
    for (let times = 0; times < 3; times += 1) await expect(copy.catchUp(feed)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(told).toEqual([expect.stringContaining('entry 1 of the published revocation log is refused')]);
    expect(copy.damage).toBe(told[0]);
    feed.log = upTo(2);
    await copy.catchUp(feed);
    await copy.catchUp(feed);
    expect([copy.damage, copy.number, told.length, told.at(-1)]).toEqual([undefined, 2, 2, undefined]);
    const broken = { ...feed, head: () => Promise.reject(new WritError('INTERNAL', 'a key of ours holds something else')) };
    await expect(copy.catchUp(broken)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const other = { ...feed, head: async () => 1, publish: () => Promise.reject(new WritError('WRONG_STATE', 'another revocation stands under number 2')) };
    await expect(copy.catchUp(other)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });

  it('stands behind the authorities of a worker', async () => {
    const [revocations, feed, clock] = [await mirror(), memoryFeed(), testClock()];
    const keyring = fixedKeyring([key]);
    const authorities = createAuthorities({ leaseKeys: keyring, ed25519, revocations, feed, clock, issuer: 'writ-kernel', maxTtl: 7200 });
    const capabilities = new Set(['FILE_MOVE']);
    expect(authorities.authorize(LEASE, capabilities)).toBeUndefined();
    const early = { ...LEASE, iat: Math.floor(clock.now() / 1000) + 61 };
    expect(authorities.authorize(early, capabilities)).toEqual({ code: 'INVALID_LEASE', message: expect.stringContaining('future') });
    const patient = createAuthorities({ leaseKeys: keyring, ed25519, revocations, feed, clock, issuer: 'writ-kernel', maxTtl: 7200, clockSkew: 61 });
    expect(patient.authorize(early, capabilities)).toBeUndefined();
    feed.log = upTo(1);
    await authorities.refresh();
    expect(authorities.authorize(LEASE, capabilities)).toEqual({ code: 'INVALID_LEASE', message: 'the lease was revoked' });
  });
});
