import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackendKind, BackendProcess, SearchBackend } from '../../../src/core/ports/index.ts';
import { answerTo, eventsOf, realBackends, temporaryDirectory } from '../../support/content/rig.ts';
import { createRandom, type Random } from '../../support/random.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
let folder: string;
let root: string;

/** Names whose order depends on who sorts: bytes, locales and tools all have their own. */
const NAMES = [
  'a b/x',
  'a-b/x',
  'a.txt',
  'a/B',
  'a/b',
  'a/sub/y',
  'B',
  'b',
  'Z',
  'z/x',
  'z.txt',
  'é/x',
  'é.txt',
  'e\u0301/x',
  'e\u0301.txt',
  'Ｚ',
  '😀',
  'ı',
  'i',
  'I',
  '10',
  '9',
  '_',
];

beforeAll(async () => {
  backends = await realBackends();
  folder = temporaryDirectory('content-order');
  root = path.join(folder, 'one');
  for (const name of NAMES) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), Array.from({ length: 12 }, (_, line) => (line % 4 === 1 ? `needle ${line}\n` : `line ${line}\n`)).join(''));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const REQUEST = { pattern: 'needle', context: 2, max_results: 150 };

/** The same backend, whose records come in any order: of each record its bytes stay together. */
function shuffled(backend: SearchBackend, random: Random): SearchBackend {
  const start = (job: Parameters<SearchBackend['start']>[0]): BackendProcess => {
    const process = backend.start(job);
    return { ended: process.ended, kill: () => process.kill(), stdout: mixed(process.stdout, random) };
  };
  return { ...backend, start };
}

async function* mixed(stdout: AsyncIterable<Buffer>, random: Random): AsyncIterable<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of stdout) blocks.push(block);
  const records = Buffer.concat(blocks)
    .toString('latin1')
    .split(/(?<=\n)/);
  for (let end = records.length; end > 1; end -= 1) {
    const other = random.integer(end);
    [records[end - 1], records[other]] = [records[other] ?? '', records[end - 1] ?? ''];
  }
  for (const record of records) yield Buffer.from(record, 'latin1');
}

describe.each<BackendKind>(['ugrep', 'rg'])('answers of %s', (kind) => {
  it('are the same twenty times, byte for byte', { tags: ['T-LSI-DET-01', 'FR-LSI-ORD-01', 'FR-LSI-STAT-03.2', 'FR-LSI-STAT-04'] }, async () => {
    const answers = new Set<string>();
    for (let turn = 0; turn < 20; turn += 1) {
      const { stats, ...answer } = await answerTo({ root, backend: backends[kind], emitStats: true, lanes: 1 + (turn % 3) }, REQUEST);
      const { elapsed_ms: elapsed, ...deterministic } = stats ?? {};
      expect(elapsed).toBeTypeOf('number');
      answers.add(JSON.stringify([answer, deterministic]));
    }
    expect(answers.size).toBe(1);
  });

  it('are the same when the backend shuffles its output', { tags: ['T-LSI-DET-02', 'FR-LSI-ORD-04', 'FR-LSI-ORD-03.3', 'FR-LSI-ORD-05.3'] }, async () => {
    const plain = await answerTo({ root, backend: backends[kind] }, REQUEST);
    for (const seed of [1, 2, 3]) {
      expect(await answerTo({ root, backend: shuffled(backends[kind], createRandom(seed)) }, REQUEST)).toEqual(plain);
    }
  });

  it('do not depend on where the tree lies', { tags: ['LSI-PATH-15'] }, async () => {
    const copy = path.join(folder, `copy of ${kind}`);
    cpSync(root, copy, { recursive: true });
    expect(await answerTo({ root: copy, backend: backends[kind] }, REQUEST)).toEqual(await answerTo({ root, backend: backends[kind] }, REQUEST));
  });

  it('do not depend on locale and time zone of the process', async () => {
    const plain = await answerTo({ root, backend: backends[kind] }, REQUEST);
    const before = { LC_ALL: process.env['LC_ALL'], TZ: process.env['TZ'], LANG: process.env['LANG'] };
    Object.assign(process.env, { LC_ALL: 'tr_TR.UTF-8', LANG: 'de_DE.ISO-8859-1', TZ: 'Pacific/Chatham' });
    try {
      expect(await answerTo({ root, backend: backends[kind] }, REQUEST)).toEqual(plain);
    } finally {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it('cut the same list at every limit, and twins of one name stay apart and in order', {
    tags: ['T-LSI-DET-03', 'T-LSI-PATH-03', 'FR-LSI-TRUNC-02'],
  }, async () => {
    const backend = backends[kind];
    const all = eventsOf(await answerTo({ root, backend }, { pattern: 'needle 1', max_results: 1_000 }));
    const paths = all.map((event) => event.replace(/:\d+:.*/, ''));
    const key = (name: string): Buffer => Buffer.from(name.normalize('NFC'));
    expect(paths).toEqual([...paths].sort((a, b) => Buffer.compare(key(a), key(b)) || Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect(paths.filter((name) => name.normalize('NFC') === 'é.txt')).toEqual(['e\u0301.txt', 'é.txt']);
    for (const most of [1, 2, 7, all.length - 1, all.length]) {
      const answer = await answerTo({ root, backend }, { pattern: 'needle 1', max_results: most });
      expect(eventsOf(answer)).toEqual(all.slice(0, most));
      expect(answer.truncated).toBe(most < all.length);
    }
  });
});

describe('both backends', () => {
  it('give the same bytes for the same search', async () => {
    const [one, other] = await Promise.all([backends.ugrep, backends.rg].map((backend) => answerTo({ root, backend }, REQUEST)));
    expect(one).toEqual(other);
  });
});
