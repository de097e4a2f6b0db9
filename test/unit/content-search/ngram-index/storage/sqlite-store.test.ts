import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sqlite } from '../../../../../src/adapters/sqlite/driver.ts';
import { DISABLED_REASONS, UNCERTAIN_REASONS } from '../../../../../src/content-search/ngram-index/safety/states.ts';
import { prepareCacheDirectory } from '../../../../../src/content-search/ngram-index/storage/sqlite-directory.ts';
import { answerOf, openRecords, removeRecords } from '../../../../../src/content-search/ngram-index/storage/sqlite-open.ts';
import { openContentIndexStore, openContentIndexView } from '../../../../../src/content-search/ngram-index/storage/sqlite-store.ts';
import type { ContentIndexStore, IndexSafety, RecordsAnswer } from '../../../../../src/core/ports/index.ts';
import { ABSENT, COMPLETE, dirtyAt, metaFor, T0 } from '../../../../conformance/content-index-samples.ts';

let directory: string;
let open: { close(): void }[] = [];
const limits = () => ({ directory, lockTimeoutMs: 50 });

function answered<T>(answer: RecordsAnswer<T>): T {
  if (!answer.ok) throw new Error(`${answer.refusal}: ${answer.message}`);
  return answer.value;
}

function opened(): ContentIndexStore {
  const store = answered(openContentIndexStore(limits()));
  open.push(store);
  return store;
}

const file = (suffix = ''): string => path.join(directory, `records.db${suffix}`);

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-index-records-'));
  open = [];
});
afterEach(() => {
  for (const one of open) one.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('the files of the records', () => {
  it('are closed to others, whatever the umask says', { tags: ['SEC-LSI-STORE-01'] }, () => {
    const umask = process.umask(0);
    try {
      opened().write((records) => records.create(metaFor('a'), ABSENT));
      const files = readdirSync(directory);
      expect(files.sort()).toEqual(['records.db', 'records.db-shm', 'records.db-wal']);
      expect(files.map((name) => statSync(path.join(directory, name)).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    } finally {
      process.umask(umask);
    }
  });

  it('are closed again when somebody opened them', () => {
    opened().close();
    chmodSync(file(), 0o644);
    opened();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('are never reached through a link', () => {
    writeFileSync(path.join(directory, 'elsewhere'), '');
    symlinkSync('elsewhere', file());
    expect(openContentIndexStore(limits())).toMatchObject({ ok: false, refusal: 'DAMAGED' });
  });

  it('are kept by a SQLite that knows what the tables need', { tags: ['LSI-SQLITE-01', 'LSI-SQLITE-02'] }, () => {
    const db = new Sqlite(':memory:');
    const [major = 0, minor = 0] = String(db.prepare('SELECT sqlite_version()').pluck().get()).split('.').map(Number);
    db.close();
    expect(major * 1_000 + minor).toBeGreaterThanOrEqual(3_031);
  });

  it('have one column per component of the key', { tags: ['FR-LSI-IDX-KEY-02.1', 'FR-LSI-CAND-LIT-04.1'] }, () => {
    opened();
    const db = new Sqlite(file(), { readonly: true });
    open.push(db);
    const columns = db.pragma('table_info(content_index)') as { name: string }[];
    const components = Object.keys(metaFor('a').key).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect(columns.map(({ name }) => name)).toEqual(expect.arrayContaining(components));
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
  });

  it('refuse a reason that is not of Appendix D, and a complete index in doubt', { tags: ['LSI-ENUM-01', 'LSI-ENUM-16'] }, () => {
    const store = opened();
    store.write((records) => records.create(metaFor('a'), ABSENT));
    const set = (safety: IndexSafety) => () => store.write((records) => records.setSafety('a', safety, T0));
    for (const reason of Object.keys(UNCERTAIN_REASONS)) expect(set(raw({ ...ABSENT, state: 'UNCERTAIN', reason }))).not.toThrow();
    for (const reason of Object.keys(DISABLED_REASONS)) expect(set(raw({ ...ABSENT, state: 'DISABLED', reason }))).not.toThrow();
    expect(set({ ...ABSENT, state: 'DISABLED' })).not.toThrow();
    expect(set(raw({ ...ABSENT, state: 'UNCERTAIN', reason: 'BELOW_THRESHOLD' }))).toThrow(/CHECK/);
    expect(set(raw({ ...ABSENT, state: 'UNCERTAIN', reason: null }))).toThrow(/CHECK/);
    expect(set(raw({ ...ABSENT, state: 'DISABLED', reason: 'DIRTY_BACKLOG' }))).toThrow(/CHECK/);
    expect(set(raw({ ...COMPLETE, reason: 'DIRTY_BACKLOG' }))).toThrow(/CHECK/);
    expect(set({ ...COMPLETE, watcherLost: true })).toThrow(/CHECK/);
    expect(set({ ...COMPLETE, building: 3 })).toThrow(/CHECK/);
    expect(set({ ...COMPLETE, causes: [{ reason: 'DIRTY_BACKLOG', mark: 1 }] })).toThrow(/CHECK/);
    expect(set(raw({ ...ABSENT, state: 'SOMETHING' }))).toThrow(/CHECK/);
  });
});

/** A record as a fault would make it. */
function raw(safety: { [Field in keyof IndexSafety]: Field extends 'state' | 'reason' ? string | null : IndexSafety[Field] }): IndexSafety {
  return JSON.parse(JSON.stringify(safety));
}

describe('several processes', () => {
  it('see what the writer committed, and write nothing themselves', { tags: ['FR-LSI-BG-13.2'] }, () => {
    expect(answered(openContentIndexView(limits()))).toBeUndefined();
    const store = opened();
    const view = answered(openContentIndexView(limits()));
    if (view === undefined) throw new Error('no records');
    open.push(view);
    store.write((records) => records.create(metaFor('a'), COMPLETE));
    expect(view.read((records) => records.safety('a'))).toEqual({ ok: true, value: COMPLETE });
    expect(Object.keys(view)).toEqual(['read', 'close']);
  });

  it('read while one writes, each its own moment', { tags: ['FR-LSI-BG-11', 'FR-LSI-BG-13.1'] }, () => {
    const store = opened();
    store.write((records) => records.create(metaFor('a'), COMPLETE));
    const view = answered(openContentIndexView(limits()));
    if (view === undefined) throw new Error('no records');
    open.push(view);
    const seen = store.write((records) => {
      records.setSafety('a', ABSENT, T0);
      return view.read((other) => other.safety('a'));
    });
    expect(seen).toEqual({ ok: true, value: { ok: true, value: COMPLETE } });
    expect(
      view.read((records) => {
        const before = records.safety('a');
        store.write((others) => others.setSafety('a', COMPLETE, T0));
        return [before, records.safety('a')];
      }),
    ).toEqual({ ok: true, value: [ABSENT, ABSENT] });
  });

  it.each([0, 50, 250])('wait %i ms for a lock where that is set, whether they write or only read', { tags: ['FR-LSI-IDX-CONC-02'] }, (lockTimeoutMs) => {
    for (const readonly of [false, true]) {
      const records = openRecords({ directory, lockTimeoutMs }, { readonly });
      open.push(records);
      expect(records.pragma('busy_timeout', { simple: true })).toBe(lockTimeoutMs);
    }
  });

  it('wait for a lock no longer than they may, and say so', { tags: ['FR-LSI-IDX-CONC-02', 'LSI-ST-07', 'FR-LSI-BG-13.4'] }, () => {
    const store = opened();
    store.write((records) => records.create(metaFor('a'), COMPLETE));
    const holder = new Sqlite(file());
    open.push(holder);
    holder.exec('BEGIN IMMEDIATE');
    expect(store.write((records) => records.setSafety('a', ABSENT, T0))).toMatchObject({ ok: false, refusal: 'LOCKED' });
    expect(store.read((records) => records.safety('a'))).toEqual({ ok: true, value: COMPLETE });
    holder.exec('ROLLBACK');
    expect(store.write((records) => records.setSafety('a', ABSENT, T0)).ok).toBe(true);
  });

  it('say that there is no room', () => {
    opened().write((records) => records.create(metaFor('a'), COMPLETE));
    const db = new Sqlite(file());
    open.push(db);
    db.pragma('max_page_count = 1');
    const filled = answerOf(() => db.exec(`CREATE TABLE more (x); INSERT INTO more VALUES (zeroblob(1000000))`));
    expect(filled).toMatchObject({ ok: false, refusal: 'NO_SPACE' });
  });
});

describe('damaged records', () => {
  it('are refused when they are no database, and can be made anew', () => {
    writeFileSync(file(), 'not a database at all, and long enough to look like one'.repeat(100));
    expect(openContentIndexStore(limits())).toMatchObject({ ok: false, refusal: 'DAMAGED' });
    removeRecords(directory);
    expect(readdirSync(directory)).toEqual([]);
    expect(opened().read((records) => records.list())).toEqual({ ok: true, value: [] });
  });

  it('are refused when a newer version wrote them', { tags: ['FR-LSI-ROLL-02'] }, () => {
    opened().close();
    const db = new Sqlite(file());
    db.pragma('user_version = 99');
    db.close();
    expect(openContentIndexStore(limits())).toMatchObject({ ok: false, refusal: 'DAMAGED' });
    expect(openContentIndexView(limits())).toMatchObject({ ok: false, refusal: 'DAMAGED' });
  });

  it('are refused when a table is missing', () => {
    opened().close();
    const db = new Sqlite(file());
    db.exec('DROP TABLE dirty');
    db.close();
    expect(openContentIndexStore(limits())).toMatchObject({ ok: false, refusal: 'DAMAGED' });
  });

  it('are refused when a record says something else than what was written, also COMPLETE', () => {
    const store = opened();
    const doubtful: IndexSafety = { ...ABSENT, state: 'UNCERTAIN', reason: 'DIRTY_BACKLOG', causes: [{ reason: 'DIRTY_BACKLOG', mark: 3 }] };
    store.write((records) => records.create(metaFor('a'), doubtful));
    const db = new Sqlite(file());
    open.push(db);
    db.exec(`UPDATE content_index SET safety_state = 'COMPLETE', uncertain_reason = NULL, causes = '[]'`);
    for (const look of [
      () => store.read((records) => records.safety('a')),
      () => store.read((records) => records.list()),
      () => store.write((records) => records.setSafety('a', ABSENT, T0)),
    ]) {
      expect(look()).toMatchObject({ ok: false, refusal: 'DAMAGED' });
    }
  });

  it('with any bit flipped give the record that was written, or none', () => {
    const store = opened();
    const doubtful: IndexSafety = { ...ABSENT, state: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW', causes: [{ reason: 'WATCHER_OVERFLOW', mark: 3 }], mark: 3 };
    store.write((records) => {
      records.create(metaFor('a'), doubtful);
      records.enqueue('a', [dirtyAt('f', T0, 1)]);
    });
    store.close();
    const whole = readFileSync(file());
    const seen = new Set<string>();
    // Places all over the page that holds the row, and close together in the row; the bit changes from place to place.
    const row = whole.indexOf('WATCHER_OVERFLOW');
    const page = row - (row % 4096);
    const places = [...Array.from({ length: 100 }, (_, i) => page + 41 * i), ...Array.from({ length: 60 }, (_, i) => row - 200 + 7 * i)];
    for (const [n, place] of places.entries()) {
      const damaged = Buffer.from(whole);
      damaged[place] = (damaged[place] ?? 0) ^ (1 << (n % 8));
      removeRecords(directory);
      writeFileSync(file(), damaged, { mode: 0o600 });
      seen.add(outcomeOf(doubtful));
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining(['DAMAGED', 'as written']));
    expect([...seen].filter((one) => !['DAMAGED', 'UNAVAILABLE', 'as written', 'none'].includes(one))).toEqual([]);
  });

  function outcomeOf(written: IndexSafety): string {
    const answer = openContentIndexStore(limits());
    if (!answer.ok) return answer.refusal;
    const read = answer.value.read((records) => ({ safety: records.safety('a'), meta: records.meta('a') }));
    answer.value.close();
    if (!read.ok) return read.refusal;
    if (read.value.safety === undefined) return 'none';
    const told = JSON.stringify([read.value.safety, { ...read.value.meta, bloom: null, accessedAtMs: 0 }]);
    return told === JSON.stringify([written, { ...metaFor('a'), bloom: null, accessedAtMs: 0 }]) ? 'as written' : told;
  }
});

describe('the directory of the records', () => {
  const at = (name: string): string => path.join(directory, name);

  it('is made for this user alone, with what lies on the way', { tags: ['FR-LSI-CACHE-ROOT-02.3'] }, () => {
    expect(prepareCacheDirectory(at('cache/writ/search-index'))).toBe('ready');
    expect(['cache', 'cache/writ', 'cache/writ/search-index'].map((name) => statSync(at(name)).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
    expect(prepareCacheDirectory(at('cache/writ/search-index'))).toBe('ready');
  });

  it('is refused when others may look into it, when it is a link or a file, or cannot be made', () => {
    mkdirSync(at('open'), { mode: 0o755 });
    mkdirSync(at('target'), { mode: 0o700 });
    symlinkSync('target', at('link'));
    writeFileSync(at('file'), '');
    expect(prepareCacheDirectory(at('open'))).toBe('NOT_PRIVATE');
    expect(prepareCacheDirectory(at('link'))).toBe('NOT_A_DIRECTORY');
    expect(prepareCacheDirectory(at('file'))).toBe('NOT_A_DIRECTORY');
    expect(prepareCacheDirectory(at('file/below'))).toBe('NOT_A_DIRECTORY');
    expect(prepareCacheDirectory('/proc/writ/search-index')).toBe('PERMISSION_DENIED');
    expect(statSync(at('open')).mode & 0o777).toBe(0o755);
  });
});
