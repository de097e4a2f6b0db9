import { describe, expect, it } from 'vitest';
import { runSearch } from '../../../../src/content-search/run/run-search.ts';
import { atRest, expectedEvents, runOptions, scripted, tree, tuned } from './scripted.ts';

describe('a run that runs out of time', () => {
  const expiring = () => {
    const controller = new AbortController();
    return { signal: controller.signal, expire: () => controller.abort() };
  };

  it('gives the files that are finished, in order, and leaves no process', { tags: ['FR-LSI-ORD-05.2', 'T-LSI-EXIT-02'] }, async () => {
    const { paths, lines } = tree([1, 2, 1, 3, 1, 1]);
    const { signal, expire } = expiring();
    const backend = scripted({
      lines,
      splits: [13],
      // Both other chunks have long ended when the time is up in the middle of file 003.
      beforeBlock: (job, block) => (job.files.includes('003') && block > 9 ? othersEnd().then(expire) : undefined),
    });
    const othersEnd = async (): Promise<void> => {
      while (backend.running > 1 || backend.jobs.length < 3) await new Promise(setImmediate);
    };
    const result = await runSearch(runOptions(backend, paths, { signal, lanes: 3 }), tuned(2));
    const finished = expectedEvents(paths, lines).filter(({ file }) => file < 3);
    expect(result).toMatchObject({ end: 'timed_out', timedOut: true, events: finished, scanned: 3, truncated: true, truncationAssumed: false });
    expect(backend.running).toBe(0);
  });

  it('is not truncated when nothing more was seen, and assumes it when its limit is just reached', { tags: ['FR-LSI-TRUNC-01a.4'] }, async () => {
    const { paths, lines } = tree([2, 0, 0]);
    for (const [maxEvents, truncated] of [
      [7, false],
      [6, true],
    ] as const) {
      const { signal, expire } = expiring();
      const hanging = scripted({ lines, endOf: (job) => (job.files.includes('001') ? { code: 1 } : {}) });
      const start = hanging.start;
      const backend = {
        ...hanging,
        start: (job: Parameters<typeof start>[0]) => {
          const process = start(job);
          if (!job.files.includes('001')) return process;
          const never = (async function* (): AsyncGenerator<Buffer> {
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          })();
          void atRest(hanging).then(expire);
          return { ...process, stdout: never };
        },
      };
      const result = await runSearch(runOptions(backend, paths, { signal, maxEvents }), tuned(1));
      expect(result).toMatchObject({ end: 'timed_out', timedOut: true, truncated, truncationAssumed: truncated, scanned: 1 });
      expect(result.events).toHaveLength(6);
    }
  });

  it('ends at its deadline by the given clock, also when it is over before it begins', async () => {
    const { paths, lines } = tree([1]);
    const backend = scripted({ lines });
    const result = await runSearch(runOptions(backend, paths, { deadline: 5, now: () => 5 }));
    expect(result).toMatchObject({ timedOut: true, events: [] });
    expect(backend.running).toBe(0);
  });
});

describe('a process that fails', () => {
  const { paths, lines } = tree([1, 1]);

  it('without a match is no failure when it ends with 1', { tags: ['FR-LSI-EXIT-01', 'FR-LSI-BE-EXIT-02', 'T-LSI-EXIT-01'] }, async () => {
    expect(await runSearch(runOptions(scripted({ lines: new Map() }), paths))).toMatchObject({ end: 'ok_no_matches', error: undefined, warnings: [] });
  });

  it('because of files that cannot be opened is told about these files, and its other events count', async () => {
    const backend = scripted({ lines, endOf: ({ files }) => (files.length === 0 ? { code: 1 } : { code: 2, stderr: 'rg: ./gone: IO error …' }) });
    const result = await runSearch(runOptions(backend, ['000', '001', 'a\nb'], { tryOpen: ({ text }) => (text === 'a\nb' ? 'EACCES' : undefined) }));
    expect(result).toMatchObject({ end: 'ok_with_matches', events: expectedEvents(paths, lines) });
    expect(result.warnings).toMatchObject([{ before: 2, line: expect.stringMatching(/^a.{2,6}b: Permission denied$/) }]);
  });

  it('because of a file that can be opened again is told in its words', async () => {
    const stderr = 'rg: ./001: IO error for operation on ./001: No such file or directory (os error 2)\n';
    const backend = scripted({ lines: new Map(), endOf: ({ files }) => (files.length === 0 ? { code: 1 } : { code: 2, stderr }) });
    expect(await runSearch(runOptions(backend, paths))).toMatchObject({
      end: 'ok_no_matches',
      warnings: [{ before: 1, line: '001: No such file or directory' }],
      backendStderr: stderr,
    });
  });

  it('because of the pattern is the fault of the request, whatever else is wrong', async () => {
    const backend = scripted({
      lines: new Map(),
      endOf: () => ({ code: 2, stderr: 'rg: regex parse error:\n    [\n    ^\nerror: unclosed character class\n' }),
    });
    const result = await runSearch(runOptions(backend, paths, { tryOpen: () => 'EACCES' }), tuned(1));
    expect(result).toMatchObject({ end: 'backend_error', error: { code: 'BadArgs', field: 'pattern', message: 'rg refuses it: unclosed character class' } });
    expect(backend.jobs.filter(({ files }) => files.length === 0)).toHaveLength(1);
  });

  it.each([
    ['an unknown code', { code: 3 }, 'rg ended with 3'],
    ['an error that nothing explains', { code: 2, stderr: 'boom' }, 'rg ended with 2 and said why on stderr, which the log of the tool has'],
    ['a signal of somebody else', { code: null, signal: 'SIGSEGV' as const }, 'rg was ended by SIGSEGV'],
    ['not being started', { code: null, startError: 'ENOENT' }, 'rg could not be started: ENOENT'],
  ])('with %s fails the search', { tags: ['FR-LSI-BE-EXIT-01.1', 'FR-LSI-BE-EXIT-01.2'] }, async (_, how, message) => {
    const backend = scripted({ lines, endOf: ({ files }) => (files.length === 0 ? { code: 1 } : how) });
    expect(await runSearch(runOptions(backend, paths))).toMatchObject({ end: 'backend_error', error: { code: 'ExecutionFailed', field: undefined, message } });
  });

  it('with an output that no backend prints fails the search', async () => {
    const backend = scripted({ lines, shuffle: () => ['./elsewhere\x001:x\n'] });
    expect(await runSearch(runOptions(backend, paths))).toMatchObject({
      error: { code: 'ExecutionFailed', message: expect.stringContaining('a file that was not asked for') },
    });
    expect(backend.running).toBe(0);
  });

  it('behind the limit is not seen', async () => {
    const backend = scripted({ lines, endOf: ({ files }) => (files.includes('001') ? { code: 3 } : {}) });
    expect(await runSearch(runOptions(backend, paths, { maxEvents: 2 }), tuned(1))).toMatchObject({ end: 'truncated', error: undefined });
  });
});
