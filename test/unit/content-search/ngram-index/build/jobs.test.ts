import { appendFileSync, chmodSync, linkSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuildSite } from '../../../../../src/content-search/ngram-index/build/site.ts';
import { liveDocuments } from '../../../../../src/content-search/ngram-index/query/live.ts';
import { openSnapshot } from '../../../../../src/content-search/ngram-index/query/snapshot.ts';
import { DOCUMENT_FLAG, type SegmentDocument } from '../../../../../src/content-search/ngram-index/segment/format.ts';
import { memoryIndexFiles } from '../../../../../src/content-search/ngram-index/storage/files-memory.ts';
import type { BuildPhase, OverlayEntry, SnapshotId } from '../../../../../src/core/ports/index.ts';
import { buildSite, doJob, indexedTree } from '../../../../support/content/building.ts';

let root: string;
/** As if every file had been left alone for a while. */
const LATER = (): number => Date.now() + 60_000;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-build-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, text: string | Buffer): void => writeFileSync(join(root, path), text);
const BASE = { generation: 1, delta: 0 };
const build = { kind: 'build', into: BASE } as const;

function trueAfter(times: number): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > times;
  };
}

function documentsOf(site: BuildSite, deltas: readonly number[] = []): Map<string, SegmentDocument> {
  const opened = openSnapshot(site.index, { generation: 1, deltas }, site, site.hasher);
  if (!opened.ok) throw new Error(opened.message);
  const found = [...liveDocuments(opened.snapshot)].map(({ document }) => [document.path.toString(), document] as const);
  opened.snapshot.close();
  return new Map(found);
}

describe('a build', () => {
  it('has the eligible files in key order and none that is ignored, hidden or denied', { tags: ['FR-LSI-BG-20.2'] }, () => {
    for (const name of ['b.txt', 'a b', 'é', '.hid', 'x.log', 'k.pem']) put(name, 'text of it');
    put('.gitignore', '*.log\n');
    mkdirSync(join(root, 'a'));
    put('a/z', 'text');
    const site = buildSite(root, { indexed: indexedTree(root, { hidden: false, denied: ['*.pem'] }) });
    expect(doJob(site, build)).toMatchObject({ outcome: 'done', documents: 4, read: 4, hiding: 0 });
    expect([...documentsOf(site).keys()]).toEqual(['a b', 'a/z', 'b.txt', 'é']);
  });

  it('goes through its phases in order and tells how far it is', { tags: ['FR-LSI-BG-20.1', 'FR-LSI-BG-21'] }, () => {
    for (let at = 0; at < 600; at += 1) put(`${at}`, `file ${at}`);
    const phases: BuildPhase[] = [];
    const done: number[] = [];
    doJob(buildSite(root), build, {
      onProgress: ({ phase, filesDone, filesTotal }) => {
        if (phases.at(-1) !== phase) phases.push(phase);
        if (phase === 'TOKENIZE') done.push(filesDone, filesTotal);
      },
    });
    expect(phases).toEqual(['ENUMERATE', 'TOKENIZE', 'PERSIST']);
    expect(done).toEqual([256, 600, 512, 600, 600, 600]);
  });

  it('makes a candidate of every search of each file whose n-grams do not tell what a backend finds', () => {
    put('plain', 'just text');
    put('short', 'ab');
    put('large', Buffer.alloc(64 * 4096 + 1, 0x61));
    put('windows', Buffer.alloc(64 * 4096, 0x61));
    put('exact', Buffer.alloc(4096, 0x61));
    put('binary', Buffer.alloc(99, 0xff));
    put('mark', '\ufeffsome text');
    put('decomposed', 'cafe\u0301');
    put('line\nbreak', 'just text');
    put('linked', 'just text');
    linkSync(join(root, 'linked'), join(root, 'twin'));
    // Somebody may be able to open it; ugrep does not even try.
    put('others', 'just text');
    chmodSync(join(root, 'others'), 0o044);
    const site = buildSite(root, { nowMs: LATER });
    doJob(site, build);
    const always = [...documentsOf(site)].filter(([, { flags }]) => (flags & DOCUMENT_FLAG.always) !== 0).map(([path]) => path);
    expect(always.sort()).toEqual(['binary', 'decomposed', 'large', 'line\nbreak', 'linked', 'mark', 'others', 'short', 'twin']);
    expect(documentsOf(site).get('plain')?.flags).toBe(0);
    expect(documentsOf(site).get('exact')?.flags).toBe(0);
    expect(documentsOf(site).get('windows')?.flags).toBe(0);
  });

  it('keeps a file that cannot be opened as one that every search has to try', () => {
    put('closed', 'text');
    put('blind', 'text');
    const site = buildSite(root);
    const { files } = site;
    const shut: BuildSite = {
      ...site,
      files: {
        read: (path, most) => (`${path}`.endsWith('closed') || `${path}`.endsWith('blind') ? { refused: 'EACCES' } : files.read(path, most)),
        readWindows: files.readWindows,
        stat: (path) => (`${path}`.endsWith('blind') ? { refused: 'EACCES' } : files.stat(path)),
      },
    };
    expect(doJob(shut, build)).toMatchObject({ documents: 2 });
    const found = documentsOf(shut);
    expect(found.get('closed')).toMatchObject({ flags: DOCUMENT_FLAG.always | DOCUMENT_FLAG.unreadable, size: 4 });
    expect(found.get('blind')).toMatchObject({ flags: DOCUMENT_FLAG.always | DOCUMENT_FLAG.unreadable, size: 0, ino: 0n });
    expect(doJob(shut, { kind: 'validate', snapshot: { generation: 1, deltas: [] }, into: { generation: 1, delta: 1 } })).toEqual({
      outcome: 'nothing',
      hiding: 0,
    });
  });

  it('leaves out what has gone since the walk saw it, or is no regular file any more', () => {
    for (const name of ['a', 'b', 'c', 'd']) put(name, 'text');
    const site = buildSite(root);
    const { files } = site;
    const refusals: Record<string, string> = { b: 'ENOENT', c: 'ELOOP', d: 'EINVAL' };
    const racing = {
      ...files,
      read: (path: Buffer | string, most: number) => {
        const refused = refusals[`${path}`.slice(-1)];
        return refused === undefined ? files.read(path, most) : { refused };
      },
    };
    doJob({ ...site, files: racing }, build);
    expect([...documentsOf(site).keys()]).toEqual(['a']);
  });

  it('counts each warning of the walk as something that may hide files', () => {
    put('a', 'text');
    mkdirSync(join(root, 'shut'));
    const site = buildSite(root);
    const tree = {
      ...site.tree,
      list: (path: Buffer | string) => (`${path}`.endsWith('shut/') || `${path}`.endsWith('shut') ? { refused: 'EACCES' } : site.tree.list(path)),
    };
    expect(doJob({ ...site, tree }, build)).toMatchObject({ outcome: 'done', documents: 1, hiding: 1 });
  });

  const EXCESSES = [
    { why: 'FILES', limits: { maxFiles: 2 } },
    { why: 'BYTES', limits: { maxBytes: 2999 } },
    { why: 'DISK', limits: { roomBytes: 400 } },
    { why: 'DISK', limits: { roomBytes: 600, lastRatio: 0.3 } },
    { why: 'DISK', limits: { roomBytes: 300, lastRatio: 0 } },
  ] as const;
  it.each(EXCESSES)('stops over a budget and leaves nothing: $why $limits', { tags: ['FR-LSI-BUD-INIT-01.2', 'FR-LSI-BUD-INIT-01.3'] }, ({ why, limits }) => {
    for (const name of ['a', 'b', 'c']) put(name, Buffer.alloc(1000, name));
    const site = buildSite(root);
    expect(doJob(site, build, { limits })).toEqual({ outcome: 'over-budget', why, files: 3, bytes: 3000 });
    expect(site.index.open(BASE)).toEqual({ refused: 'ENOENT' });
  });

  it('ends when it is asked to, whatever it is at, and leaves nothing', { tags: ['FR-LSI-BG-40.2', 'FR-LSI-BG-42'] }, () => {
    for (let at = 0; at < 20; at += 1) put(`${at}`, `some text ${at} ${'x'.repeat(at)}`);
    const ends = new Set<string>();
    for (let after = 0; !ends.has('done') && after < 200; after += 1) {
      const site = buildSite(root, { maxRunBytes: 50 });
      const { outcome } = doJob(site, build, { pace: { isStopped: trueAfter(after) } });
      ends.add(outcome);
      expect('refused' in site.index.open(BASE)).toBe(outcome !== 'done');
    }
    expect(ends).toEqual(new Set(['stopped', 'done']));
  });

  it('tells what the disk says as a value', () => {
    put('a', 'text');
    const full = (code: string): BuildSite => {
      const index = memoryIndexFiles();
      const fail = (): never => {
        throw Object.assign(new Error('no'), { code });
      };
      return buildSite(root, { index: { ...index, create: (name) => ({ ...index.create(name), finish: fail }) } });
    };
    expect(doJob(full('ENOSPC'), build)).toMatchObject({ outcome: 'over-budget', why: 'DISK' });
    expect(doJob(full('EIO'), build)).toEqual({ outcome: 'failed', message: 'no' });
  });
});

describe('a validation', () => {
  const snapshot: SnapshotId = { generation: 1, deltas: [] };
  const validate = { kind: 'validate', snapshot, into: { generation: 1, delta: 1 } } as const;

  it('says that nothing differs, and reads nothing for it', { tags: ['FR-LSI-TRK-01'] }, () => {
    for (let at = 0; at < 300; at += 1) put(`${at}`, `file ${at}`);
    const site = buildSite(root, { nowMs: LATER });
    doJob(site, build);
    const unread: BuildSite = {
      ...site,
      files: {
        ...site.files,
        read() {
          throw new Error('a file was read');
        },
      },
    };
    expect(doJob(unread, validate)).toEqual({ outcome: 'nothing', hiding: 0 });
  });

  it('reads what was changed shortly before it was read, because its times would not tell', { tags: ['FR-LSI-TRK-03'] }, () => {
    put('fresh', 'text');
    const site = buildSite(root);
    doJob(site, build);
    expect(documentsOf(site).get('fresh')?.flags).toBe(DOCUMENT_FLAG.racy);
    expect(doJob({ ...site, nowMs: LATER }, validate)).toMatchObject({ outcome: 'done', read: 1 });
    expect(documentsOf(site, [1]).get('fresh')?.flags).toBe(0);
  });

  it('finds each kind of difference', { tags: ['FR-LSI-TRK-02'] }, () => {
    for (const name of ['same', 'longer', 'older', 'replaced', 'linked', 'removed', 'moved', 'mode']) put(name, `text of ${name}`);
    const site = buildSite(root, { nowMs: LATER });
    doJob(site, build);
    appendFileSync(join(root, 'longer'), '!');
    utimesSync(join(root, 'older'), 1, 1);
    put('new', 'text');
    renameSync(join(root, 'new'), join(root, 'replaced'));
    linkSync(join(root, 'linked'), join(root, 'link'));
    unlinkSync(join(root, 'removed'));
    renameSync(join(root, 'moved'), join(root, 'elsewhere'));
    chmodSync(join(root, 'mode'), 0o600);
    expect(doJob(site, validate)).toMatchObject({ outcome: 'done', documents: 9, read: 7 });
    expect([...documentsOf(site, [1]).keys()]).toEqual(['elsewhere', 'link', 'linked', 'longer', 'mode', 'older', 'replaced', 'same']);
  });

  it('asks for a build when more than a fifth differs', () => {
    for (let at = 0; at < 400; at += 1) put(`${at}`, `file ${at}`);
    const site = buildSite(root, { nowMs: LATER });
    doJob(site, build);
    for (let at = 0; at < 80; at += 1) appendFileSync(join(root, `${at}`), '!');
    expect(doJob(site, validate)).toMatchObject({ outcome: 'done', read: 80 });
    appendFileSync(join(root, '99'), '!');
    expect(doJob(site, validate)).toEqual({ outcome: 'rebuild' });
  });

  it('tells damage of a segment, or that it is not there', () => {
    expect(doJob(buildSite(root), validate)).toMatchObject({ outcome: 'corrupt' });
  });
});

describe('an update', () => {
  const entry = (path: string, kind: OverlayEntry['kind'] = 'FILE'): OverlayEntry => ({ path: Buffer.from(path).toString('latin1'), kind, seq: 1 });
  const update = (entries: readonly OverlayEntry[], deltas: readonly number[] = []) =>
    ({ kind: 'update', snapshot: { generation: 1, deltas }, entries, into: { generation: 1, delta: deltas.length + 1 } }) as const;

  it('reads the files that it is told of and hides what has gone', { tags: ['FR-LSI-TRK-05'] }, () => {
    mkdirSync(join(root, 'd/e'), { recursive: true });
    for (const path of ['a', 'b', 'd/c', 'd/e/f', 'd/e/g']) put(path, `text of ${path}`);
    put('d/.gitignore', '*.log\n');
    const site = buildSite(root);
    doJob(site, build);
    put('a', 'more text');
    unlinkSync(join(root, 'b'));
    rmSync(join(root, 'd/e'), { recursive: true });
    put('d/new', 'text');
    put('d/new.log', 'text');
    const outcome = doJob(site, update([entry('a'), entry('b'), entry('d/new'), entry('d/new.log'), entry('d/e', 'SUBTREE'), entry('never/was')]));
    expect(outcome).toMatchObject({ outcome: 'done', documents: 5, read: 2, hiding: 0 });
    expect([...documentsOf(site, [1]).keys()]).toEqual(['a', 'd/.gitignore', 'd/c', 'd/new']);
  });

  it('does nothing if the entries concern no file of the index', () => {
    put('a', 'text');
    put('.gitignore', '*.log\n');
    const site = buildSite(root);
    doJob(site, build);
    put('x.log', 'text');
    expect(doJob(site, update([entry('x.log'), entry('nowhere', 'SUBTREE')]))).toEqual({ outcome: 'nothing', hiding: 0 });
  });

  it('takes the rules of a new ignore file when the directory is an entry', () => {
    mkdirSync(join(root, 'd'));
    for (const path of ['d/a', 'd/b.log']) put(path, 'text');
    const site = buildSite(root);
    doJob(site, build);
    put('d/.ignore', '*.log\n');
    doJob(site, update([entry('d', 'SUBTREE')]));
    expect([...documentsOf(site, [1]).keys()]).toEqual(['d/.ignore', 'd/a']);
  });

  it('keeps apart what lies beneath two directories whose names only differ in form', () => {
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
    for (const directory of [composed, decomposed]) mkdirSync(join(root, directory));
    for (const directory of [composed, decomposed]) for (const name of ['a', 'b', 'c']) put(`${directory}/${name}`, 'text');
    const site = buildSite(root);
    doJob(site, build);
    for (const directory of [composed, decomposed]) unlinkSync(join(root, directory, 'b'));
    expect(doJob(site, update([entry(composed, 'SUBTREE'), entry(`${decomposed}/b`)]))).toMatchObject({ documents: 4, read: 2 });
    expect([...documentsOf(site, [1]).keys()].sort()).toEqual([`${composed}/a`, `${composed}/c`, `${decomposed}/a`, `${decomposed}/c`].sort());
    expect(readFileSync(join(root, composed, 'a'), 'utf8')).toBe('text');
  });
});
