import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { answerTo, eventsOf, type RigOptions, realBackends, refusalOf, searching, temporaryDirectory } from '../../support/content/rig.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
let root: string;

beforeAll(async () => {
  backends = await realBackends();
  root = temporaryDirectory('content-hostile');
  writeFileSync(path.join(root, '--help'), 'plain\n--version\n$(touch owned)\n');
  writeFileSync(path.join(root, '-e'), '`touch owned`\n; touch owned\n');
  writeFileSync(path.join(root, '\u001b[2Jname'), 'line \u001b]0;title\u0007 \u001b[31mred\n');
  writeFileSync(path.join(root, 'many-a'), `${'a'.repeat(200_000)}\n`);
});
afterAll(() => rmSync(root, { recursive: true }));

/** Processes whose parent this one is, and open descriptors. */
function held(): { readonly children: number; readonly descriptors: number } {
  const children = readdirSync(`/proc/${process.pid}/task`).flatMap((task) => childrenOf(task));
  return { children: children.length, descriptors: readdirSync('/proc/self/fd').length };
}

function childrenOf(task: string): string[] {
  return readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '');
}

describe.each<BackendKind>(['ugrep', 'rg'])('hostile requests to %s', (kind) => {
  const rig = (changes: Partial<RigOptions> = {}): RigOptions => ({ root, backend: backends[kind], ...changes });

  it.each([
    '--version',
    '--help',
    '-e',
    '-f/etc/passwd',
    '--pre=sh',
    '--',
    '-',
    '--filter=*:sh',
    '$(touch owned)',
    '`touch owned`',
    '; touch owned',
    '@/etc/passwd',
  ])('takes %s for text to look for', { tags: ['FR-LSI-BE-01.1'] }, async (pattern) => {
    const answer = await answerTo(rig(), { pattern, fixed_strings: true });
    const wanted = { '--version': 1, '$(touch owned)': 1, '`touch owned`': 1, '; touch owned': 1, '-': 1, '--': 1 }[pattern] ?? 0;
    expect(answer.matches.filter(({ data }) => data.path.text !== '\u001b[2Jname')).toHaveLength(wanted);
    expect(readdirSync(root)).not.toContain('owned');
  });

  it('takes names and globs that look like options for names and globs', async () => {
    expect(eventsOf(await answerTo(rig(), { pattern: 'plain', glob: ['--help', '-*', '--pre=sh'] }))).toEqual(['--help:1:plain']);
    expect(eventsOf(await answerTo(rig(), { pattern: 'plain', path: '--help' }))).toEqual(['--help:1:plain']);
  });

  it('refuses a pattern of a mebibyte, and searches for the longest that it takes', async () => {
    expect(await refusalOf(rig(), { pattern: 'x'.repeat(1024 * 1024), fixed_strings: true })).toMatchObject({ code: 'BadArgs', field: 'pattern' });
    const longest = Array.from({ length: 65_536 / 8 }, (_, index) => `<${String(index).padStart(6, '0')}>`).join('');
    writeFileSync(path.join(root, 'long'), `${longest}\n${longest.slice(1)}\n`);
    expect(eventsOf(await answerTo(rig(), { pattern: longest, fixed_strings: true, path: 'long' }))).toHaveLength(1);
    rmSync(path.join(root, 'long'));
  });

  it('ends a catastrophic expression with an answer or a refusal by its timeout', async () => {
    for (const pattern of ['(a*)*(a*)*(a*)*(a*)*b', '(a|a)*(a|a)*(a|a)*b', '(.*)*(.*)*(.*)*[^a]z', '((a{1,100}){1,100}){1,100}b']) {
      const before = held();
      const outcome = await searching(rig(), { pattern, timeout_ms: 400 });
      // An answer without an end of the work would leave its process.
      await expect.poll(held).toEqual(before);
      if (outcome.ok) expect(outcome.answer.count).toBe(0);
      else expect(outcome.error.code).toMatch(/^(?:BadArgs|ExecutionFailed)$/);
    }
  });

  it('shows names and lines with terminal sequences in the events as they are, and written out in the text for people', {
    tags: ['FR-LSI-ENC-02.1'],
  }, async () => {
    const answer = await answerTo(rig(), { pattern: 'red' });
    expect(answer.matches[0]?.data).toEqual({ path: { text: '\u001b[2Jname' }, line_number: 1, lines: { text: 'line \u001b]0;title\u0007 \u001b[31mred' } });
    expect(answer.content).toBe('\\x1b[2Jname\n1:line \\x1b]0;title\\x07 \\x1b[31mred\n');
  });

  it('cuts a long line, and says so in the stats', async () => {
    const answer = await answerTo(rig({ emitStats: true }), { pattern: 'aaa' });
    expect(answer.matches[0]?.data.lines.text).toBe('a'.repeat(65_536));
    expect(answer.stats?.lines_cut).toBe(1);
  });

  it('leaves no process and no descriptor behind, however a search ends', { tags: ['FR-LSI-BE-01.2'] }, async () => {
    await answerTo(rig(), { pattern: 'plain' });
    const before = held();
    for (const request of [{ pattern: 'plain', max_results: 1 }, { pattern: '(a*)*b', timeout_ms: 1 }, { pattern: 'a(' }, { pattern: 'a', timeout_ms: 5 }])
      await searching(rig(), request);
    const abort = new AbortController();
    const aborted = searching(rig(), { pattern: 'a.*b' }, abort.signal);
    abort.abort();
    await aborted;
    expect(held()).toEqual(before);
  });

  it('ends at once, and fails, when its caller leaves before it begins or while it runs', async () => {
    const stopped = { ok: false, error: { code: 'ExecutionFailed', message: 'the search was stopped' } };
    expect(await searching(rig(), { pattern: 'a' }, AbortSignal.abort())).toMatchObject(stopped);
    const abort = new AbortController();
    const running = searching(rig(), { pattern: '(a*)*b' }, abort.signal);
    abort.abort();
    expect(await running).toMatchObject(stopped);
  });
});
