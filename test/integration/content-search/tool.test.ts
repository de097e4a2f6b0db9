import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContentSearchAnswer, ContentSearchStats } from '../../../src/contracts/index.ts';
import type { BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { answerTo, eventsOf, type RigOptions, realBackends, refusalOf, temporaryDirectory } from '../../support/content/rig.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
let root: string;

/** A small project: context that overlaps, an ignore file, hidden and denied names, names that are no UTF-8. */
const FILES: Readonly<Record<string, string>> = {
  'a-b/x.txt': 'needle\n',
  'a.txt': 'one\nneedle two\nthree\nfour\nneedle five\nsix\n',
  'a/b.txt': 'Needle\nneedle_x\nNadel\n',
  'a/.gitignore': '*.log\n',
  'a/out.log': 'needle\n',
  '.hid/h.txt': 'needle\n',
  'keys/k.pem': 'needle\n',
  '.writ-vault/v.txt': 'needle\n',
  'ns/ñandu.txt': 'Ñandu\nñandu\n',
  'new\nline.txt': 'needle in an odd place\n',
};

beforeAll(async () => {
  backends = await realBackends();
  root = temporaryDirectory('content-tool');
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff])]), 'needle in bytes\n');
  symlinkSync('/etc', path.join(root, 'outside'));
  symlinkSync('a', path.join(root, 'inside'));
});
afterAll(() => rmSync(root, { recursive: true }));

describe.each<BackendKind>(['ugrep', 'rg'])('a search with %s', (kind) => {
  const rig = (changes: Partial<RigOptions> = {}): RigOptions => ({ root, backend: backends[kind], ...changes });

  it('answers by the contract of the baseline, in the order of keys', {
    tags: ['T-LSI-BASE-01', 'FR-LSI-PARSE-01', 'FR-LSI-ORD-01', 'LSI-BE-GEN'],
  }, async () => {
    const answer = await answerTo(rig(), { pattern: 'needle' });
    expect(ContentSearchAnswer.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({ pattern: 'needle', path: '.', count: 7, truncated: false, timed_out: false, exit_code: 0 });
    expect(eventsOf(answer)).toEqual([
      'a-b/x.txt:1:needle',
      'a.txt:2:needle two',
      'a.txt:5:needle five',
      'a/b.txt:1:Needle',
      'a/b.txt:2:needle_x',
      'bad\ufffd:1:needle in bytes',
      'new\nline.txt:1:needle in an odd place',
    ]);
  });

  it('finds blanks, which are a pattern like any other', async () => {
    for (const fixed_strings of [true, false]) {
      expect(eventsOf(await answerTo(rig(), { pattern: ' ', fixed_strings, path: 'a.txt' }))).toEqual(['a.txt:2:needle two', 'a.txt:5:needle five']);
      expect(await answerTo(rig(), { pattern: ' \t ', fixed_strings })).toMatchObject({ count: 0, exit_code: 1 });
    }
  });

  it('has no index and says so, with stats only where the settings ask for them', {
    tags: ['T-LSI-BASE-02', 'FR-LSI-SCHEMA-RESP-02.1', 'FR-LSI-STAT-02.11', 'FR-LSI-STAT-02.13'],
  }, async () => {
    expect(await answerTo(rig(), { pattern: 'needle' })).not.toHaveProperty('stats');
    const { stats } = await answerTo(rig({ emitStats: true }), { pattern: 'needle' });
    expect(ContentSearchStats.parse(stats)).toMatchObject({ index_safety_state: 'DISABLED', storage_mode: 'none', index_exclusion_used: false });
    expect(stats).toMatchObject({ backend_id: backends[kind].id, candidates_total: 6, candidates_excluded: 0, candidates_scanned: 6, fallback_used: false });
  });

  it('counts all candidates in the stats, and those up to the last event when there is more', async () => {
    const { stats, truncated } = await answerTo(rig({ emitStats: true }), { pattern: 'needle', max_results: 2 });
    expect(truncated).toBe(true);
    expect(stats).toMatchObject({ candidates_total: 6, candidates_scanned: 2 });
  });

  it('stops at exactly max_results events, lines of context among them', {
    tags: ['T-LSI-TRUNC-01', 'FR-LSI-TRUNC-01.1', 'FR-LSI-CTX-01', 'FR-LSI-CTX-02'],
  }, async () => {
    const request = { pattern: 'needle', path: 'a.txt', context: 1 };
    const all = eventsOf(await answerTo(rig(), request));
    expect(all).toEqual(['a.txt-1-one', 'a.txt:2:needle two', 'a.txt-3-three', 'a.txt-4-four', 'a.txt:5:needle five', 'a.txt-6-six']);
    for (let most = 1; most <= all.length + 1; most += 1) {
      const answer = await answerTo(rig(), { ...request, max_results: most });
      expect(eventsOf(answer)).toEqual(all.slice(0, most));
      expect(answer).toMatchObject({ count: Math.min(most, all.length), truncated: most < all.length, exit_code: 0 });
    }
  });

  it('does not call an answer truncated that has exactly max_results', { tags: ['T-LSI-TRUNC-03', 'FR-LSI-TRUNC-01.2'] }, async () => {
    expect(await answerTo(rig(), { pattern: 'needle', max_results: 7 })).toMatchObject({ count: 7, truncated: false });
  });

  it('decides smart case itself, for letters beyond ASCII too', { tags: ['T-LSI-DET-04'] }, async () => {
    expect(eventsOf(await answerTo(rig(), { pattern: 'Ñandu', fixed_strings: true }))).toEqual(['ns/ñandu.txt:1:Ñandu']);
    const folded = eventsOf(await answerTo(rig(), { pattern: 'ñandu', fixed_strings: true }));
    // ugrep folds ASCII only, ripgrep all of Unicode: the note says that they cannot agree here.
    expect(folded).toEqual({ ugrep: ['ns/ñandu.txt:2:ñandu'], rg: ['ns/ñandu.txt:1:Ñandu', 'ns/ñandu.txt:2:ñandu'] }[kind]);
  });

  it('finds files whose names have a line end or are no UTF-8, and shows these lossily', {
    tags: ['T-LSI-PATH-01', 'T-LSI-PATH-02', 'FR-LSI-BE-UG-03.2'],
  }, async () => {
    const answer = await answerTo(rig(), { pattern: 'odd|bytes' });
    expect(eventsOf(answer)).toEqual(['bad\ufffd:1:needle in bytes', 'new\nline.txt:1:needle in an odd place']);
    expect(answer.content).toContain('new\\x0aline.txt');
  });

  it('searches hidden and ignored places when they are asked for by name, and all of them when asked to', async () => {
    expect(eventsOf(await answerTo(rig(), { pattern: 'needle', path: '.hid' }))).toEqual(['.hid/h.txt:1:needle']);
    expect(eventsOf(await answerTo(rig(), { pattern: 'needle', path: 'a/out.log' }))).toEqual(['a/out.log:1:needle']);
    const open = await answerTo(rig(), { pattern: 'needle', hidden: true, no_ignore: true, glob: ['*.log', 'h.txt', '!a.txt'] });
    expect(eventsOf(open)).toEqual(['.hid/h.txt:1:needle', 'a/out.log:1:needle']);
  });

  it('says what was searched relative to the order root', { tags: ['FR-LSI-ORD-ROOT-03'] }, async () => {
    expect((await answerTo(rig(), { pattern: 'x', path: './a/' })).path).toBe('a');
    expect((await answerTo(rig(), { pattern: 'x', path: 'inside' })).path).toBe('a');
    const whole = eventsOf(await answerTo(rig(), { pattern: 'needle' }));
    for (const start of ['a', './a/', 'inside', 'a-b', 'a.txt']) {
      const part = await answerTo(rig(), { pattern: 'needle', path: start });
      expect([start, eventsOf(part)]).toEqual([start, whole.filter((event) => event.startsWith(part.path === 'a' ? 'a/' : part.path))]);
    }
    const absolute = rig({ sandbox: { allowAbsolute: true } });
    expect(await answerTo(absolute, { pattern: 'Nadel', path: path.join(root, 'a') })).toMatchObject({
      path: '.',
      matches: [{ data: { path: { text: 'b.txt' } } }],
    });
    expect(await answerTo(absolute, { pattern: 'Nadel', path: path.join(root, 'a/b.txt') })).toMatchObject({ path: 'b.txt', count: 1 });
  });

  it('follows no link out of the roots, with follow or without', { tags: ['T-LSI-PATH-04', 'SEC-LSI-01'] }, async () => {
    expect(eventsOf(await answerTo(rig(), { pattern: 'root:', follow: true }))).toEqual([]);
    expect(await refusalOf(rig(), { pattern: 'root:', path: 'outside/passwd', follow: true })).toMatchObject({ code: 'BadArgs', field: 'path' });
    expect(eventsOf(await answerTo(rig(), { pattern: 'Nadel', follow: true }))).toEqual(['a/b.txt:3:Nadel', 'inside/b.txt:3:Nadel']);
  });

  it('never reads denied and reserved places', { tags: ['T-LSI-SEC-01'] }, async () => {
    const answer = await answerTo(rig(), { pattern: 'needle', hidden: true, no_ignore: true, follow: true });
    expect(eventsOf(answer).filter((event) => /pem|vault/.test(event))).toEqual([]);
    expect(await refusalOf(rig(), { pattern: 'needle', path: 'keys/k.pem' })).toEqual(await refusalOf(rig(), { pattern: 'needle', path: 'keys/k.pem' }));
    expect((await refusalOf(rig(), { pattern: 'needle', path: '.writ-vault' })).message).toContain('No such file');
  });

  it('refuses a pattern that the backend cannot read, also where there is nothing to search', async () => {
    expect(await refusalOf(rig(), { pattern: 'a(b' })).toMatchObject({ code: 'BadArgs', field: 'pattern' });
    expect(await refusalOf(rig(), { pattern: 'a(b', glob: ['nothing.at.all'] })).toMatchObject({ code: 'BadArgs', field: 'pattern' });
  });

  it('gives no matches for an empty place without starting anything', async () => {
    expect(await answerTo(rig(), { pattern: 'a', fixed_strings: true, glob: ['nothing.at.all'] })).toMatchObject({
      count: 0,
      exit_code: 1,
      content: 'No matches.\n',
    });
  });

  it('never rejects, whatever a request is made of', async () => {
    for (const request of [
      null,
      7,
      {},
      { pattern: 'a', path: 'x'.repeat(4_000) },
      { pattern: 'a', path: 'a/b/'.repeat(1_000) },
      { pattern: 'a', path: 'a.txt/x' },
    ]) {
      expect((await refusalOf(rig(), request)).code).toMatch(/^(?:BadArgs|ExecutionFailed)$/);
    }
  });
});

describe('approximate matching', () => {
  it('is for ugrep only, and says so', { tags: ['FR-LSI-FUZ-G-02'] }, async () => {
    expect(await refusalOf({ root, backend: backends.rg }, { pattern: 'neeedle', fuzzy: 1 })).toMatchObject({ code: 'BadArgs', field: 'fuzzy' });
    const both = { root, backend: backends.rg, backends: { preferred: backends.rg, all: [backends.rg, backends.ugrep] } };
    expect(eventsOf(await answerTo(both, { pattern: 'neeedle', fuzzy: 1, glob: ['a-b/**'] }))).toEqual(['a-b/x.txt:1:needle']);
  });

  it('is tried by itself when the settings allow it, with everything else as the request has it', { tags: ['T-LSI-FUZ-01', 'FR-LSI-FUZ-G-02'] }, async () => {
    const fuzzy = { root, backend: backends.ugrep, emitStats: true, fuzzyFallback: { levels: [1, 2, 3], minPatternLength: 4 } };
    const answer = await answerTo(fuzzy, { pattern: 'neeeedle', fixed_strings: true, glob: ['*.txt', '!new*'], context: 1, max_results: 3 });
    expect(eventsOf(answer)).toEqual(['a-b/x.txt:1:needle', 'a.txt-1-one', 'a.txt:2:needle two']);
    expect(answer.stats).toMatchObject({ fallback_used: true, fallback_reason: 'LITERAL_NO_MATCHES', fuzzy_levels_tried: [1, 2], fallback_skip_reason: null });
    expect(answer.truncated).toBe(true);
    const words = await answerTo(fuzzy, { pattern: 'neeedle', fixed_strings: true, word_regexp: true });
    expect(eventsOf(words)).not.toContain('a/b.txt:2:needle_x');
    expect(words.stats?.fuzzy_levels_tried).toEqual([1]);
  });

  it('is not tried with a backend that cannot, and the stats say so', async () => {
    const rg = { root, backend: backends.rg, emitStats: true, fuzzyFallback: { levels: [1, 2], minPatternLength: 4 } };
    const { count, stats } = await answerTo(rg, { pattern: 'neeedle', fixed_strings: true });
    expect(count).toBe(0);
    expect(stats).toMatchObject({ fallback_used: false, fallback_skip_reason: 'BACKEND_NOT_FUZZY', fallback_passes_skipped: 2 });
  });
});
