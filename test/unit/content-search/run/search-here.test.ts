import { describe, expect, it } from 'vitest';
import { runSearch } from '../../../../src/content-search/run/run-search.ts';
import type { RunOptions } from '../../../../src/content-search/search/types.ts';
import { listed, runOptions, scripted } from './scripted.ts';

const PATHS = Array.from({ length: 20 }, (_, at) => `f${10 + at}`);
/** More than a slice has. */
const LARGE = 300_000;

/** A run in whose first chunk each file of `LARGE` bytes has the text once; `onRead` is told of each before it is read. */
function run(onRead: (reads: number) => void, more: Partial<RunOptions> = {}) {
  const backend = scripted({ lines: new Map() });
  const known = { ...backend, folding: 'UNICODE_SIMPLE' as const };
  let reads = 0;
  const read = (): Buffer => {
    reads += 1;
    onRead(reads);
    return Buffer.from(`needle\n${'a'.repeat(LARGE)}`);
  };
  const result = runSearch(runOptions(known, PATHS, { read, ...more }));
  return { result, backend, reads: () => reads };
}

describe('a run that searches in this process', () => {
  it('starts no backend, and has the events of all files', async () => {
    const { result, backend } = run(() => undefined);
    expect(await result).toMatchObject({ end: 'ok_with_matches', scanned: 20, processes: 0, events: PATHS.map((path) => ({ path, line: 1 })) });
    expect(backend.jobs).toEqual([]);
  });

  it('ends when it is aborted between two files, with what was finished', { tags: ['FR-LSI-EXIT-01'] }, async () => {
    const stop = new AbortController();
    const { result, backend, reads } = run(
      (count) => {
        // As a request that is closed: by the event loop.
        if (count === 3) setImmediate(() => stop.abort());
      },
      { signal: stop.signal },
    );
    const { events, scanned, ...rest } = await result;
    expect(rest).toMatchObject({ end: 'timed_out', timedOut: true, processes: 0 });
    expect(reads()).toBeLessThan(6);
    expect(scanned).toBe(reads());
    expect(events).toHaveLength(scanned);
    expect(backend.jobs).toEqual([]);
  });

  it('ends at its deadline between two files', { tags: ['FR-LSI-EXIT-01'] }, async () => {
    let hold: () => void = () => undefined;
    const { result, reads } = run(
      (count) => {
        // The alarm of the run is due from here on.
        if (count === 3) hold = busyFor(2);
        hold();
      },
      { deadline: 1 },
    );
    expect(await result).toMatchObject({ end: 'timed_out', timedOut: true });
    expect(reads()).toBeLessThan(PATHS.length);
  });

  it('ends with a full answer, and reads no more', { tags: ['FR-LSI-TRUNC-01.1'] }, async () => {
    const { result, reads } = run(() => undefined, { maxEvents: 4 });
    expect(await result).toMatchObject({ end: 'truncated', truncated: true, scanned: 4, processes: 0 });
    expect(reads()).toBe(5);
  });

  it('counts no file behind one that a backend must look into', async () => {
    const stop = new AbortController();
    const { result } = run(() => undefined, {
      signal: stop.signal,
      files: listed(PATHS),
      read: ({ text }) => {
        if (text === 'f13') setImmediate(() => stop.abort());
        return text === 'f11' ? undefined : Buffer.from(`needle\n${'a'.repeat(LARGE)}`);
      },
    });
    const { events, scanned } = await result;
    expect(scanned).toBe(0);
    expect(events).toEqual([]);
  });
});

/** Holds the event loop for some milliseconds. */
const busyFor = (ms: number) => (): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};
