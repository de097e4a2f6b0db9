import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Operation, packReply, packRequest, unpackReply, unpackRequest } from '../../../../src/adapters/crypto/batch.ts';
import { bestLibrary, inlineEd25519 } from '../../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../../src/adapters/crypto/node-crypto.ts';
import { createCryptoPool } from '../../../../src/adapters/crypto/pool.ts';
import { loadSodium } from '../../../../src/adapters/crypto/sodium.ts';
import { startThread } from '../../../../src/adapters/threads/thread-entry.ts';
import type { Ed25519 } from '../../../../src/core/ports/index.ts';
import { RFC8032_VECTORS } from '../../../fixtures/authority/rfc8032.ts';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const vectors = RFC8032_VECTORS.map(({ name, seed, publicKey, message, signature }) => ({
  name,
  secretKey: hex(seed + publicKey),
  publicKey: hex(publicKey),
  message: hex(message),
  signature,
}));

interface Subject {
  readonly port: Ed25519;
  end?(): Promise<void>;
}

async function pool(library: 'best' | 'node', threads: number): Promise<Subject> {
  const port = createCryptoPool({ library, threads });
  await port.start();
  return { port, end: () => port.stop() };
}

async function sodium(): Promise<Subject> {
  const library = await loadSodium();
  if (library === undefined) throw new Error('sodium-native does not load here: run `npm install` on a supported platform');
  return { port: inlineEd25519(library) };
}

const IMPLEMENTATIONS = {
  'node:crypto in line': async () => ({ port: inlineEd25519(nodeEd25519()) }),
  'sodium in line': sodium,
  'a thread with sodium': () => pool('best', 1),
  'two threads with node:crypto': () => pool('node', 2),
} satisfies Record<string, () => Promise<Subject>>;

describe.each(Object.entries(IMPLEMENTATIONS))('Ed25519 by %s', (_name, make) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await make();
  });
  afterAll(() => subject.end?.());

  it.each(vectors)('signs and verifies RFC 8032 $name', async ({ secretKey, publicKey, message, signature }) => {
    expect(toHex(await subject.port.sign(message, secretKey))).toBe(signature);
    expect(await subject.port.verify(message, hex(signature), publicKey)).toBe(true);
  });

  it('refuses another message, another key and every flipped byte of a signature', async () => {
    const [a, b] = [vectors[1], vectors[2]];
    if (!a || !b) throw new Error('vectors are missing');
    const signature = hex(a.signature);
    expect(await subject.port.verify(b.message, signature, a.publicKey)).toBe(false);
    expect(await subject.port.verify(a.message, signature, b.publicKey)).toBe(false);
    const flipped = signature.map((_, index) => index).values();
    const answers = await Promise.all(
      [...flipped].map((index) =>
        subject.port.verify(
          a.message,
          signature.map((byte, at) => (at === index ? byte ^ 1 : byte)),
          a.publicKey,
        ),
      ),
    );
    expect(answers).toEqual(Array(64).fill(false));
  });

  it('answers false to a signature of another length and to a key that is no point', async () => {
    const [vector] = vectors;
    if (!vector) throw new Error('vectors are missing');
    expect(await subject.port.verify(vector.message, new Uint8Array(63), vector.publicKey)).toBe(false);
    expect(await subject.port.verify(vector.message, new Uint8Array(0), vector.publicKey)).toBe(false);
    expect(await subject.port.verify(vector.message, hex(vector.signature), new Uint8Array(32).fill(0xff))).toBe(false);
  });

  it('rejects a key of the wrong length as our own mistake', async () => {
    await expect(subject.port.sign(new Uint8Array(1), new Uint8Array(32))).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(subject.port.verify(new Uint8Array(1), new Uint8Array(64), new Uint8Array(31))).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('keeps a thousand mixed calls of one turn apart', async () => {
    const calls = Array.from({ length: 1000 }, (_, index) => {
      const vector = vectors[index % vectors.length];
      if (!vector) throw new Error('vectors are missing');
      if (index % 3 === 0) return subject.port.sign(vector.message, vector.secretKey).then(toHex);
      return subject.port.verify(vector.message, hex(index % 3 === 1 ? vector.signature : '00'.repeat(64)), vector.publicKey);
    });
    const expected = Array.from({ length: 1000 }, (_, index) => (index % 3 === 0 ? vectors[index % vectors.length]?.signature : index % 3 === 1));
    expect(await Promise.all(calls)).toEqual(expected);
  });
});

describe('the library of choice', () => {
  it('is node:crypto where libsodium cannot be loaded', async () => {
    expect((await bestLibrary(async () => undefined)).name).toBe('node');
  });

  it('signs the same bytes whichever library it is', async () => {
    const [ours, theirs] = [await bestLibrary(), nodeEd25519()];
    const [vector] = vectors;
    if (!vector) throw new Error('vectors are missing');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
        const signature = ours.sign(message, vector.secretKey);
        expect(toHex(theirs.sign(message, vector.secretKey))).toBe(toHex(signature));
        expect(theirs.verify(message, signature, vector.publicKey)).toBe(true);
      }),
    );
  });
});

describe('the packed batch', () => {
  const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
  const message = fc.uint8Array({ maxLength: 40 });
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    fc.record({ kind: fc.constant('sign' as const), message, key: bytes(64) }),
    fc.record({ kind: fc.constant('verify' as const), message, key: bytes(32), signature: bytes(64) }),
  );
  const plain = (value: Uint8Array | boolean): unknown => (typeof value === 'boolean' ? value : toHex(value));

  it('unpacks to what was packed, requests and replies', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(operation, bytes(64), fc.boolean())), (rows) => {
        const operations = rows.map(([op]) => op);
        const hexed = (list: readonly Operation[]): unknown[] =>
          list.map((op) => Object.fromEntries(Object.entries(op).map(([k, v]) => [k, v instanceof Uint8Array ? toHex(v) : v])));
        expect(hexed(unpackRequest(packRequest(operations)))).toEqual(hexed(operations));
        const answers: Answer[] = rows.map(([op, signature, good]) => (op.kind === 'sign' ? signature : good));
        expect(unpackReply(packReply(answers), operations).map(plain)).toEqual(answers.map(plain));
      }),
    );
  });
});

describe('the life of a crypto pool', () => {
  const [vector] = vectors;
  if (!vector) throw new Error('vectors are missing');

  it('answers calls made before its start, and stops twice', async () => {
    const pool = createCryptoPool();
    const early = pool.sign(vector.message, vector.secretKey);
    await pool.start();
    await pool.start();
    expect(toHex(await early)).toBe(vector.signature);
    const last = pool.sign(vector.message, vector.secretKey);
    await Promise.all([pool.stop(), pool.stop()]);
    expect(toHex(await last)).toBe(vector.signature);
    await expect(pool.sign(vector.message, vector.secretKey)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('carries out small calls at once and without a thread while little is asked for, and gives a thread a burst, what follows it, and what is large', async () => {
    let [batches, workers, clock] = [0, 0, 0];
    const pool = createCryptoPool({
      now: () => clock,
      startWorker: (setup) => {
        workers += 1;
        const worker = startThread(new URL('../../../../src/adapters/crypto/pool.ts', import.meta.url).href, './crypto-thread', { workerData: setup });
        const post = worker.postMessage.bind(worker);
        worker.postMessage = (...message: Parameters<Worker['postMessage']>) => {
          batches += 1;
          post(...message);
        };
        return worker;
      },
    });
    await pool.start();
    const pass = (ms: number): void => {
      clock += ms;
    };
    for (let round = 0; round < 3; round += 1) {
      expect(toHex(await pool.sign(vector.message, vector.secretKey))).toBe(vector.signature);
      expect(await pool.verify(vector.message, hex(vector.signature), vector.publicKey)).toBe(true);
      // A point that is none, in a call that this thread carries out itself.
      pass(5);
      expect(await pool.verify(vector.message, hex(vector.signature), new Uint8Array(32).fill(0xff))).toBe(false);
      pass(5);
    }
    expect([batches, workers]).toEqual([0, 0]);
    const burst = await Promise.all(Array.from({ length: 20 }, () => pool.sign(vector.message, vector.secretKey)));
    expect(new Set(burst.map(toHex))).toEqual(new Set([vector.signature]));
    expect([batches, workers]).toEqual([1, 1]);
    pass(4);
    expect(await pool.verify(vector.message, hex(vector.signature), vector.publicKey)).toBe(true);
    expect(batches).toBe(2);
    pass(5);
    expect(await pool.verify(vector.message, hex(vector.signature), vector.publicKey)).toBe(true);
    expect(batches).toBe(2);
    const large = new Uint8Array(1024 * 1024);
    expect(await pool.verify(large, await pool.sign(large, vector.secretKey), vector.publicKey)).toBe(true);
    expect(batches).toBe(4);
    await pool.stop();
  });

  it('stops before it was started', async () => {
    const pool = createCryptoPool();
    const early = pool.sign(vector.message, vector.secretKey);
    await Promise.all([expect(early).rejects.toMatchObject({ code: 'INTERNAL' }), pool.stop()]);
    await pool.start();
  });

  it('fails what a dead thread held, and replaces the thread', async () => {
    const workers: Worker[] = [];
    const pool = createCryptoPool({
      startWorker: (setup) => {
        const worker = startThread(new URL('../../../../src/adapters/crypto/pool.ts', import.meta.url).href, './crypto-thread', { workerData: setup });
        workers.push(worker);
        return worker;
      },
    });
    await pool.start();
    await Promise.all(Array.from({ length: 20 }, () => pool.sign(vector.message, vector.secretKey)));
    const held = Promise.allSettled(Array.from({ length: 2000 }, () => pool.sign(vector.message, vector.secretKey)));
    await new Promise((resolve) => setImmediate(resolve));
    await workers[0]?.terminate();
    const outcomes = await held;
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(toHex(await pool.sign(vector.message, vector.secretKey))).toBe(vector.signature);
    expect(workers).toHaveLength(2);
    await pool.stop();
  });

  it('refuses calls for which no thread starts, and tries again for the next', async () => {
    let starts = 0;
    const pool = createCryptoPool({
      startWorker: (setup) => {
        starts += 1;
        const entry = starts === 1 ? './no-such-thread' : './crypto-thread';
        return startThread(new URL('../../../../src/adapters/crypto/pool.ts', import.meta.url).href, entry, { workerData: setup });
      },
    });
    await pool.start();
    const large = new Uint8Array(1024 * 1024);
    await expect(pool.sign(large, vector.secretKey)).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('no crypto thread starts') });
    expect(await pool.verify(large, await pool.sign(large, vector.secretKey), vector.publicKey)).toBe(true);
    expect(starts).toBe(2);
    await pool.stop();
  });

  it('answers what it was asked before its end, though no thread had started', async () => {
    const pool = createCryptoPool();
    await pool.start();
    const held = Promise.all(Array.from({ length: 20 }, () => pool.sign(vector.message, vector.secretKey)));
    await pool.stop();
    expect(new Set((await held).map(toHex))).toEqual(new Set([vector.signature]));
  });
});
