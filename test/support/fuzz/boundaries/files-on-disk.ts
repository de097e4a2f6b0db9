import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CorruptSegment } from '../../../../src/content-search/ngram-index/segment/format.ts';
import { openSegment } from '../../../../src/content-search/ngram-index/segment/reader.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { createApiKeyStore } from '../../../../src/data-dir/api-keys.ts';
import { createAuditLog } from '../../../../src/data-dir/audit-log.ts';
import { createAuditReader, verifyAuditFile } from '../../../../src/data-dir/audit-reader.ts';
import { runningRoles, tellRunning } from '../../../../src/data-dir/running-roles.ts';
import { generateKey, publicJwk } from '../../../../src/lease/index.ts';
import { parseJwks, parsePrivateKey } from '../../../../src/lease/parse-keys.ts';
import { EXPECTED, hasher, readAll, sourceOf, written } from '../../content/segments.ts';
import { type Boundary, FuzzFault, outcomeOf, shown } from '../boundary.ts';
import { scratch } from '../scratch.ts';

/** A segment of the n-gram index. What is read in spite of damage is what was written: checksums see everything. */
export const segment: Boundary = {
  shape: 'bytes',
  what: 'segments of the n-gram index: whole, or refused as damaged',
  async open() {
    const models = [1, 90].map((count) => {
      const documents = Array.from({ length: count }, (_, n) => ({
        ...{ path: Buffer.from(`dir/file-${String(n).padStart(4, '0')}`), size: n, mtimeNs: BigInt(n), ctimeNs: 5n, ino: BigInt(n), dev: 1n, flags: 0 },
      }));
      return {
        documents,
        postings: new Map([
          ['616263', [0]],
          ['7a7a7a', documents.map((_, at) => at)],
        ]),
      };
    });
    const seeds = models.map(written);
    const known = new Set(seeds.map((seed) => textOf(readAll(openSegment(sourceOf(seed), EXPECTED, hasher)))));
    return {
      seeds,
      run(input) {
        try {
          const read = readAll(openSegment(sourceOf(input), EXPECTED, hasher));
          if (!known.has(textOf(read))) throw new FuzzFault('a damaged segment is read as another one');
          return 'ok';
        } catch (error) {
          if (error instanceof CorruptSegment) return 'corrupt';
          throw error;
        }
      },
    };
  },
};

/** Keys: private ones, public sets, and API keys. */
export const keys: Boundary = {
  shape: 'json',
  what: 'key files: private keys, public sets, API keys',
  async open() {
    const { home, remove } = scratch('keys');
    const key = generateKey({ use: 'lease', capabilities: ['*'] });
    const file = path.join(home, 'api-keys.json');
    await createApiKeyStore({ file }).create({ name: 'a', roles: ['submit', 'read'] });
    return {
      seeds: [
        JSON.stringify(key),
        JSON.stringify({ keys: [publicJwk(key), publicJwk(generateKey({ use: 'result', capabilities: ['FILE_MOVE'] }))] }),
        readFileSync(file, 'utf8'),
      ],
      words: ['kid', 'kty', 'crv', 'x', 'd', 'use', 'capabilities', 'OKP', 'Ed25519', 'keys', 'v', 'roles', 'hash', 'name', 'id'],
      async run(input) {
        const text = input.toString('utf8');
        writeFileSync(file, input, { mode: 0o600 });
        const outcomes = [
          await outcomeOf(() => parsePrivateKey(text, 'key.json')),
          await outcomeOf(() => parseJwks(text, 'jwks.json')),
          await outcomeOf(() => createApiKeyStore({ file }).list()),
        ];
        return [...new Set(outcomes)].sort().join(' or ');
      },
      close: remove,
    };
  },
};

/** The audit log: verified, and read back. */
export const audit: Boundary = {
  shape: 'bytes',
  what: 'the audit log: verified, and listed',
  async open() {
    const { home, remove } = scratch('audit');
    const file = path.join(home, 'audit.ndjson');
    const log = createAuditLog({ file, clock: systemClock });
    for (const n of [1, 2, 3, 4]) await log.append({ surface: 'cli', who: 'fuzz', action: 'task.retry', subject: `t${n}`, outcome: 'asked' });
    const head = readFileSync(`${file}.head`);
    const seed = readFileSync(file);
    return {
      seeds: [seed, seed.subarray(0, seed.indexOf(10) + 1)],
      words: ['"hash":"', '"n":1', '"n":9007199254740993', '\n', '{}\n', 'null\n'],
      async run(input) {
        writeFileSync(file, input);
        writeFileSync(`${file}.head`, head);
        const report = await verifyAuditFile(file);
        if (report.ok && !input.equals(seed)) throw new FuzzFault('a log that was changed is verified');
        shown(JSON.stringify(report));
        const listed = await outcomeOf(async () => {
          for await (const record of createAuditReader(file).records()) shown(JSON.stringify(record));
        });
        return report.ok ? 'ok' : `broken, listed ${listed}`;
      },
      close: remove,
    };
  },
};

/** What roles say of themselves in the data directory. */
export const runtimeFiles: Boundary = {
  shape: 'json',
  what: 'files of running roles, as other processes read them',
  async open() {
    const { home, remove } = scratch('running');
    const directory = path.join(home, 'running');
    mkdirSync(directory);
    const role = {
      role: 'worker',
      pid: process.pid,
      settings: { 'log.level': 'a' },
      generation: 2,
      files: { 'x.json': 'b' },
      answer: { request: 'r', outcome: 'taken' as const, changed: ['a'], restart: [] },
    };
    // Held for as long as it is ours: who lets it go is taken for dead.
    const word = tellRunning(directory, role);
    const [name = ''] = readdirSync(directory);
    const file = path.join(directory, name);
    const seed = readFileSync(file);
    void word;
    return {
      seeds: [seed],
      words: ['role', 'pid', 'settings', 'generation', 'files', 'answer', 'outcome', 'taken', 'refused', 'changed'],
      run(input) {
        writeFileSync(file, input);
        return runningRoles(directory).length > 0 ? 'ok' : 'not listed';
      },
      close: remove,
    };
  },
};

function textOf(read: ReturnType<typeof readAll>): string {
  return JSON.stringify([read.documents, [...read.postings]], (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
