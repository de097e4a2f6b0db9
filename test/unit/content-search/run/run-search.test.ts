import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSearch } from '../../../../src/content-search/run/run-search.ts';
import { atRest, expectedEvents, matchLine, runOptions, scripted, tree, tuned } from './scripted.ts';

const TREES = fc.array(fc.nat({ max: 3 }), { maxLength: 25 });
const TUNINGS = fc.constantFrom(tuned(1), tuned(2), tuned(7), tuned(1, 2, 4), tuned(64));

describe('a run', () => {
  it('gives the events in the order of files and lines, whatever the chunks, the blocks and the pace of the processes', {
    tags: ['FR-LSI-EXE-03', 'FR-LSI-ORD-04', 'FR-LSI-ORD-05.1', 'FR-LSI-ORD-05.3', 'T-LSI-TRUNC-02'],
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        TREES,
        TUNINGS,
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        fc.array(fc.nat({ max: 12 }), { minLength: 1 }),
        async (counts, tuning, lanes, splits, delays) => {
          const { paths, lines } = tree(counts);
          const backend = scripted({ lines, splits, delays });
          const result = await runSearch(runOptions(backend, paths, { lanes }), tuning);
          const events = expectedEvents(paths, lines);
          expect(result).toMatchObject({
            end: events.length > 0 ? 'ok_with_matches' : 'ok_no_matches',
            events,
            truncated: false,
            timedOut: false,
            scanned: paths.length,
          });
          expect(backend.running).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('ends behind the same event whatever the chunks and the pace', {
    tags: ['FR-LSI-TRUNC-01.1', 'FR-LSI-TRUNC-02', 'FR-LSI-EXE-04', 'FR-LSI-CTX-02', 'FR-LSI-BE-01.2', 'T-LSI-TRUNC-01'],
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        TREES,
        TUNINGS,
        fc.array(fc.nat({ max: 12 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 40 }),
        async (counts, tuning, delays, maxEvents) => {
          const { paths, lines } = tree(counts);
          const backend = scripted({ lines, splits: [7, 100], delays });
          const result = await runSearch(runOptions(backend, paths, { maxEvents }), tuning);
          const all = expectedEvents(paths, lines);
          const isLess = all.length > maxEvents;
          const events = all.slice(0, maxEvents);
          expect(result).toMatchObject({
            events,
            truncated: isLess,
            truncationAssumed: false,
            scanned: isLess ? (events.at(-1)?.file ?? 0) + 1 : paths.length,
          });
          if (isLess) expect(result.end).toBe('truncated');
          expect(backend.running).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    [5, false],
    [6, false],
    [7, true],
  ])(
    'of %i events with a limit of 6 is truncated: %s',
    { tags: ['FR-LSI-TRUNC-01.2', 'FR-LSI-TRUNC-01a.1', 'FR-LSI-TRUNC-01a.2', 'FR-LSI-TRUNC-01a.3', 'T-LSI-TRUNC-03'] },
    async (count, truncated) => {
      const lines = new Map([['a', Array.from({ length: count }, (_, n) => matchLine(n + 1))]]);
      const result = await runSearch(runOptions(scripted({ lines }), ['a', 'b'], { maxEvents: 6 }));
      expect(result).toMatchObject({ truncated, end: truncated ? 'truncated' : 'ok_with_matches' });
      expect(result.events).toHaveLength(Math.min(6, count));
    },
  );

  it('is truncated also where the event behind the limit is context, or of the next file', { tags: ['FR-LSI-TRUNC-01a.2'] }, async () => {
    const six = Array.from({ length: 6 }, (_, n) => matchLine(n + 1));
    const context = { ...matchLine(7), mark: '-' as const };
    for (const more of [
      { a: [...six, context], b: [] },
      { a: six, b: [context, matchLine(8)] },
      { a: six, b: [matchLine(1)] },
    ]) {
      const result = await runSearch(runOptions(scripted({ lines: new Map(Object.entries(more)) }), ['a', 'b'], { maxEvents: 6 }));
      expect(result).toMatchObject({ truncated: true, truncationAssumed: false, end: 'truncated' });
      expect(result.events).toHaveLength(6);
    }
  });

  it('sorts the output of a backend that mixes its files up', { tags: ['FR-LSI-ORD-04', 'T-LSI-DET-02'] }, async () => {
    await fc.assert(
      fc.asyncProperty(TREES, TUNINGS, fc.infiniteStream(fc.nat({ max: 1000 })), fc.integer({ min: 5, max: 200 }), async (counts, tuning, keys, split) => {
        const { paths, lines } = tree(counts);
        const shuffle = (records: readonly string[]): string[] =>
          records
            .map((record) => ({ record, key: keys.next().value as number }))
            .sort((a, b) => a.key - b.key)
            .map(({ record }) => record);
        const result = await runSearch(runOptions(scripted({ lines, shuffle, splits: [split] }), paths), tuning);
        expect(result.events).toEqual(expectedEvents(paths, lines));
      }),
      { numRuns: 80 },
    );
  });

  it('takes one process for 64 files and no more than its lanes at a time for many', async () => {
    const { paths, lines } = tree(Array.from({ length: 64 }, () => 1));
    const small = scripted({ lines });
    expect(await runSearch(runOptions(small, paths))).toMatchObject({ processes: 1 });
    let most = 0;
    const count = (): undefined => {
      most = Math.max(most, large.running);
    };
    const large = scripted({ lines, delays: [3], beforeBlock: count });
    await runSearch(runOptions(large, paths, { lanes: 3 }), tuned(1));
    expect(most).toBe(3);
    expect(large.jobs).toHaveLength(64);
  });

  it('starts nothing for no files, and asks about a pattern that may not be one', async () => {
    const backend = scripted({ lines: new Map(), endOf: () => ({ code: 2, stderr: 'rg: regex parse error:\n    (\n    ^\nerror: unclosed group\n' }) });
    expect(await runSearch(runOptions(backend, []))).toMatchObject({ end: 'ok_no_matches', processes: 0, scanned: 0 });
    const query = { ...runOptions(backend, []).query, pattern: '(', fixedStrings: false };
    expect(await runSearch(runOptions(backend, [], { query }))).toMatchObject({
      end: 'backend_error',
      error: { code: 'BadArgs', field: 'pattern', message: 'rg refuses it: unclosed group' },
    });
  });

  it.each([0, 1])('tells which files could not be opened when a backend that complained ends with %i', async (code) => {
    const { paths, lines } = tree([1, 0, 1]);
    const backend = scripted({ lines, endOf: () => ({ code, stderr: 'rg: 001: it says so in its own words\n' }) });
    const result = await runSearch(runOptions(backend, paths, { tryOpen: ({ text }) => (text === '001' ? 'EACCES' : undefined) }));
    expect(result).toMatchObject({ end: 'ok_with_matches', error: undefined, warnings: [{ before: 1 }] });
    expect(result.warnings).toHaveLength(1);
  });

  it('fails when the output ends within a line, whatever the exit code says', async () => {
    const { paths, lines } = tree([1, 1]);
    const backend = scripted({ lines, shuffle: (records) => records.map((record) => record.slice(0, -1)).slice(-1), endOf: () => ({ code: 0 }) });
    expect(await runSearch(runOptions(backend, paths))).toMatchObject({ end: 'backend_error', error: { code: 'ExecutionFailed' } });
  });

  it('cuts chunks at the bytes of their paths, so that no list of arguments is too long', { tags: ['FR-LSI-EXE-01', 'T-LSI-EXE-01'] }, async () => {
    const paths = Array.from({ length: 300 }, (_, index) => `${String(index).padStart(3, '0')}${'x'.repeat(3900)}`);
    const lines = new Map(paths.map((path) => [path, [matchLine(1)]]));
    const backend = scripted({ lines });
    const result = await runSearch(runOptions(backend, paths));
    expect(result.events).toEqual(expectedEvents(paths, lines));
    for (const { files } of backend.jobs) expect(files.reduce((sum, file) => sum + file.length + 3, 0)).toBeLessThanOrEqual(512 * 1024);
  });

  it('halves a list of arguments that the system finds too long, and keeps the order', { tags: ['FR-LSI-EXE-01', 'T-LSI-EXE-01'] }, async () => {
    const { paths, lines } = tree(Array.from({ length: 40 }, () => 1));
    const backend = scripted({ lines });
    const start = backend.start;
    const narrow = {
      ...backend,
      start: (job: Parameters<typeof start>[0]) =>
        job.files.length > 6
          ? { stdout: (async function* () {})(), ended: Promise.resolve({ code: null, signal: null, stderr: '', startError: 'E2BIG' }), kill: () => undefined }
          : start(job),
    };
    const result = await runSearch(runOptions(narrow, paths), tuned(16));
    expect(result).toMatchObject({ end: 'ok_with_matches', events: expectedEvents(paths, lines), scanned: 40 });
  });

  it('opens a file itself whose name cannot be an argument, and gives it a process of its own', async () => {
    const odd = Buffer.from([0x62, 0xff]);
    const lines = new Map([
      ['a', [matchLine(1)]],
      ['fd 7', [matchLine(2)]],
      ['c', [matchLine(3)]],
    ]);
    const backend = scripted({ lines });
    const result = await runSearch(runOptions(backend, ['a', odd, Buffer.from([0xfe]), 'c'], { open: ({ raw }) => (raw?.equals(odd) ? 7 : 'EACCES') }));
    expect(result.events.map(({ file, path, line }) => [file, path, line])).toEqual([
      [0, 'a', 1],
      [1, 'b\ufffd', 2],
      [3, 'c', 3],
    ]);
    expect(result.warnings).toEqual([{ before: 2, line: '\ufffd: Permission denied' }]);
  });

  it('leaves files out whose way has changed, before and after they were read', async () => {
    const { paths, lines } = tree([1, 1, 1, 1]);
    const backend = scripted({ lines });
    const recheck = (files: readonly { readonly text: string }[], when: string) =>
      new Set(files.filter(({ text }) => text !== (when === 'before' ? '001' : '002')));
    const result = await runSearch({ ...runOptions(backend, paths), recheck: recheck as never });
    expect(backend.jobs[0]?.files).toEqual(['000', '002', '003']);
    expect([...new Set(result.events.map(({ path }) => path))]).toEqual(['000', '003']);
  });

  it('collects no more events than fill an answer', async () => {
    const lines = new Map([['a', Array.from({ length: 1000 }, (_, n) => matchLine(n + 1, 'x'.repeat(100)))]]);
    const result = await runSearch(runOptions(scripted({ lines }), ['a'], { maxEvents: 10_000, maxBytes: 20_000 }));
    expect(result).toMatchObject({ end: 'truncated', truncated: true });
    expect(result.events.length).toBeGreaterThan(100);
    expect(result.events.length).toBeLessThan(130);
  });
});

describe('a process that is not at the head', () => {
  it('is held when enough waits, and goes on when its turn comes', async () => {
    const { paths, lines } = tree(Array.from({ length: 30 }, () => 40));
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const backend = scripted({
      lines,
      splits: [100],
      // The head says nothing until all others have been held for a while.
      beforeBlock: (job) => (job.files.includes('000') ? gate : undefined),
    });
    const running = runSearch(runOptions(backend, paths, { lanes: 4, maxEvents: 100_000 }), { chunks: { files: [1], pathBytes: 1000 }, waitingBytes: 1000 });
    await atRest(backend);
    // A bound for all, and one block for each that was under way.
    expect(backend.handed).toBeLessThanOrEqual(1000 + 4 * 100);
    open();
    expect((await running).events).toEqual(expectedEvents(paths, lines));
  });
});
