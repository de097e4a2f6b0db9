import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../src/content-search/backends/dialects.ts';
import { findBackends } from '../../../src/content-search/io/backend/find-backends.ts';
import { runSearch } from '../../../src/content-search/run/run-search.ts';
import type { RunOptions } from '../../../src/content-search/search/types.ts';
import { CONTENT_LINE_MAX_BYTES } from '../../../src/contracts/index.ts';
import type { BackendQuery, SearchBackend } from '../../../src/core/ports/index.ts';
import { mostAlive } from '../../support/live-bytes.ts';
import { patient } from '../../support/patience.ts';
import { listed, runOptions } from '../../unit/content-search/run/scripted.ts';

const QUERY: BackendQuery = { pattern: 'needle', fixedStrings: false, wordRegexp: false, ignoreCase: false, context: 0, fuzzy: 0, maxCount: 100_001 };

let directory: string;
let backends: readonly SearchBackend[];
let strangers: ReadonlySet<string> = new Set();
beforeAll(async () => {
  strangers = new Set(children());
  directory = mkdtempSync(join(tmpdir(), 'writ-run-'));
  backends = (await findBackends({ names: ['ugrep'], searchPath: '/usr/bin:/bin', dialects: DIALECTS })).found.map(({ backend }) => backend);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function run(backend: SearchBackend, paths: readonly string[], query: Partial<BackendQuery>, more: Partial<RunOptions> = {}) {
  return runSearch(
    runOptions(backend, paths, {
      query: { ...QUERY, ...query },
      cwd: directory,
      maxEvents: 100_000,
      deadline: performance.now() + patient(300_000),
      now: () => performance.now(),
      ...more,
    }),
  );
}

/** Processes that this one has started here; another test file of the same process may have left one. */
function children(): readonly string[] {
  const all = readdirSync('/proc/self/task').flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').match(/\d+/g) ?? []);
  return all.filter((pid) => !strangers.has(pid));
}

describe('a run with real backends', () => {
  it('goes through 100,000 files in pieces that the system takes', { tags: ['FR-LSI-EXE-01', 'T-LSI-EXE-01'] }, async () => {
    // One file has a hundred thousand names: the list is what counts.
    mkdirSync(join(directory, 'many'));
    writeFileSync(join(directory, 'many', 'file'), 'hay\nneedle\n');
    const ways = Array.from({ length: 100_000 }, (_, n) => `many/${'/'.repeat(n % 50)}file`);
    for (const backend of backends) {
      const result = await run(backend, ways, { pattern: 'absent' });
      expect(result).toMatchObject({ end: 'ok_no_matches', scanned: 100_000, warnings: [] });
      expect(result.processes).toBeGreaterThan(5);
    }
    expect(children()).toEqual([]);
  });

  it('cuts the line of a file that has 64 MiB and no line end, without holding it', async () => {
    const name = join(directory, 'giant');
    const fd = openSync(name, 'w');
    const block = Buffer.alloc(4 * 1024 * 1024, 'a');
    for (let n = 0; n < 16; n += 1) writeSync(fd, block);
    closeSync(fd);
    writeFileSync(join(directory, 'next'), 'aaa\n');
    for (const backend of backends) {
      const { result, bytes } = await mostAlive(() => run(backend, ['giant', 'next'], { pattern: 'aaa', fixedStrings: true }));
      expect(result).toMatchObject({ end: 'ok_with_matches', linesCut: 1 });
      expect(result.events.map(({ path, text }) => [path, text.length])).toEqual([
        ['giant', CONTENT_LINE_MAX_BYTES],
        ['next', 3],
      ]);
      expect(bytes).toBeLessThan(32 * 1024 * 1024);
    }
    rmSync(name);
  });

  it('ends expressions that would take for ever when the time is up, and leaves no process', { tags: ['T-LSI-EXIT-02'] }, async () => {
    writeFileSync(join(directory, 'ab'), `${'ab'.repeat(2_000_000)}\n`);
    const patterns = ['(a|b)*a(a|b){18}c', '(a*)*(b*)*c', '((a{0,30}b{0,30}){0,30}){0,30}c'];
    for (const backend of backends) {
      for (const pattern of patterns) {
        const result = await run(backend, ['ab'], { pattern }, { deadline: performance.now() + 100 });
        // Either it was fast, or too complex for the backend, or it was ended.
        expect(['ok_no_matches', 'timed_out', 'backend_error']).toContain(result.end);
        if (result.error !== undefined) expect(result.error).toMatchObject({ code: 'BadArgs', field: 'pattern' });
      }
    }
    expect(children()).toEqual([]);
  });

  it('finds text in binary files, and tells of files that cannot be opened', async () => {
    writeFileSync(
      join(directory, 'binary'),
      Buffer.concat([Buffer.from([0, 1, 2, 0xff, 0x0a]), Buffer.from('a needle'), Buffer.from([0, 0xfe]), Buffer.from('\n')]),
    );
    for (const backend of backends) {
      const result = await run(backend, ['binary', 'gone'], {}, { tryOpen: ({ text }) => (text === 'gone' ? 'ENOENT' : undefined) });
      expect(result).toMatchObject({ end: 'ok_with_matches', warnings: [{ before: 1, line: 'gone: No such file or directory' }] });
      expect(result.events).toEqual([{ file: 0, path: 'binary', type: 'match', line: 2, text: 'a needle\0\ufffd' }]);
    }
  });

  it('refuses what a backend refuses, with its reason, with and without files', async () => {
    writeFileSync(join(directory, 'a'), 'x\n');
    for (const backend of backends) {
      for (const paths of [['a'], [], ['gone']]) {
        const { error } = await run(backend, paths, { pattern: 'a(b' }, { tryOpen: ({ text }) => (text === 'gone' ? 'ENOENT' : undefined) });
        expect(error).toEqual({
          code: 'BadArgs',
          field: 'pattern',
          message: `${backend.kind} refuses it: ${backend.kind === 'rg' ? 'unclosed group' : 'mismatched ( )'}`,
        });
      }
    }
  });

  it('ends at once when it is aborted', async () => {
    writeFileSync(join(directory, 'long'), 'needle\n'.repeat(2_000_000));
    for (const backend of backends) {
      const controller = new AbortController();
      const files = listed(Array.from({ length: 200 }, () => 'long'));
      let taken = 0;
      const next = (limit: number) => {
        taken += 1;
        if (taken === 2) setImmediate(() => controller.abort());
        return files.next(limit);
      };
      const result = await run(backend, [], {}, { files: { ...files, next }, signal: controller.signal, maxEvents: 100_000_000 });
      expect(result).toMatchObject({ end: 'timed_out', timedOut: true });
      expect(children()).toEqual([]);
    }
  });
});
