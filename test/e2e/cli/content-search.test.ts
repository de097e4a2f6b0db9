import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { scriptArgs } from '../../support/compiled/script.ts';

/** `writ search` as a process of its own, with real backends and no server. */
const WRIT = new URL('../../../src/bin/writ.ts', import.meta.url);

let home: string;
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-cli-search-'));
  for (const directory of ['here/sub', 'beside', 'data', 'slow']) mkdirSync(path.join(home, directory), { recursive: true });
  writeFileSync(path.join(home, 'here', 'b.txt'), 'zero\nhello b\n');
  writeFileSync(path.join(home, 'here', 'sub', 'a.txt'), 'Hello \u001b[31ma\n');
  writeFileSync(path.join(home, 'here', '.hidden'), 'hello hidden\n');
  writeFileSync(path.join(home, 'here', 'skipped.log'), 'hello log\n');
  writeFileSync(path.join(home, 'here', '.gitignore'), '*.log\n');
  writeFileSync(path.join(home, 'beside', 'c.txt'), 'hello c\n');
  writeFileSync(path.join(home, 'slow', 'a.txt'), `${'a'.repeat(40)}b\n`.repeat(2_000_000));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function start(
  args: readonly string[],
  cwd = 'here',
): { readonly child: ChildProcessByStdio<null, Readable, Readable>; readonly said: Promise<{ code: number | null; out: string; err: string }> } {
  const env = { PATH: process.env['PATH'] ?? '', WRIT_DATA_DIR: path.join(home, 'data'), HOME: home };
  const child = spawn(process.execPath, scriptArgs(WRIT, ['search', ...args]), { cwd: path.join(home, cwd), env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(([out, err, [code]]) => ({
    code: code as number | null,
    out,
    err,
  }));
  return { child, said };
}
const writ = (...args: string[]) => start(args).said;

describe('writ search, as a process', () => {
  it('finds lines below the current directory, in order, and exits like grep', async () => {
    expect(await writ('hello')).toEqual({ code: 0, out: 'b.txt:2:hello b\nsub/a.txt:1:Hello \u001b[31ma\n', err: '' });
    expect(await writ('absent')).toEqual({ code: 1, out: '', err: '' });
    expect(await writ('hello', 'nowhere')).toMatchObject({ code: 2, out: '' });
    expect(await writ('(')).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^writ: pattern: .*\(BadArgs\)\n$/) });
  });

  it('gives the same with either backend', async () => {
    const [ugrep, rg] = await Promise.all([writ('hello', '--backend', 'ugrep', '-.', '--no-ignore'), writ('hello', '--backend', 'rg', '-.', '--no-ignore')]);
    expect(
      ugrep.out
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split(':')[0]),
    ).toEqual(['.hidden', 'b.txt', 'skipped.log', 'sub/a.txt']);
    expect(rg).toEqual(ugrep);
  });

  it('shows paths as they were typed', async () => {
    expect((await writ('hello', '../beside')).out).toBe('../beside/c.txt:1:hello c\n');
    expect((await writ('hello', './b.txt')).out).toBe('./b.txt:2:hello b\n');
    expect((await writ('hello', path.join(home, 'beside'))).out).toBe(`${home}/beside/c.txt:1:hello c\n`);
    expect((await writ('hello', path.join(home, 'beside', 'c.txt'))).out).toBe(`${home}/beside/c.txt:1:hello c\n`);
    // A link is shown as it was typed, wherever it leads.
    const link = path.join(home, 'linked');
    symlinkSync(path.join(home, 'beside'), link);
    expect((await writ('hello', '../linked')).out).toBe('../linked/c.txt:1:hello c\n');
    expect((await writ('hello', '../linked/c.txt')).out).toBe('../linked/c.txt:1:hello c\n');
  });

  it('answers one document with --json', async () => {
    const { code, out } = await writ('hello', '--json', '-m', '1');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ pattern: 'hello', path: '.', count: 1, truncated: true, timed_out: false });
  });

  it('ends at once on Ctrl-C, and its backends with it', async () => {
    const { child, said } = start(['(a|aa)+$', 'a.txt'], 'slow');
    const pid = child.pid ?? 0;
    const children = (): readonly string[] => {
      try {
        return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean);
      } catch {
        return [];
      }
    };
    const searches = (one: string): boolean => commandOf(one).includes('(a|aa)+$');
    await expect.poll(() => children().filter(searches).length).toBeGreaterThan(0);
    const backends = children().filter(searches);
    child.kill('SIGINT');
    expect(await said).toMatchObject({ code: null, out: '' });
    await expect.poll(() => backends.filter((one) => commandOf(one) !== '')).toEqual([]);
  });

  it('tells of a place that cannot be read', async () => {
    const place = path.join(home, 'beside', 'locked');
    mkdirSync(place);
    // Root may read what is locked; a link that leads to itself leads nobody anywhere.
    symlinkSync('loop', path.join(place, 'loop'));
    expect(await writ('nothing', '../beside/locked/loop')).toMatchObject({ code: 2, err: expect.stringMatching(/^writ: .*\(ExecutionFailed\)\n$/) });
  });
});

describe('examples/content-search/search.mjs', () => {
  it('searches from inside a program, through the public name of the library', () => {
    const example = readFileSync(path.join(packageRoot(), 'examples', 'content-search', 'search.mjs'), 'utf8');
    expect(example).toContain("from 'writ/content-search'");
    const { exports } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { exports: Record<string, { default: string }> };
    expect(exports['./content-search']?.default).toBe('./dist/src/content-search/index.js');
  });

  it('finds, finds nothing, and says what is wrong', async () => {
    const library = scriptArgs(new URL('../../../src/content-search/index.ts', import.meta.url), [])[0] ?? '';
    const script = path.join(home, 'search.mjs');
    const example = readFileSync(path.join(packageRoot(), 'examples', 'content-search', 'search.mjs'), 'utf8');
    writeFileSync(script, example.replace("'writ/content-search'", JSON.stringify(library)));
    const run = async (...args: string[]) => {
      const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      return { code: child.exitCode, out, err };
    };
    expect(await run(path.join(home, 'beside'), 'hello')).toEqual({ code: 0, out: expect.stringContaining('c.txt\n1:hello c'), err: '' });
    expect((await run(path.join(home, 'beside'), 'absent')).code).toBe(1);
    expect(await run(path.join(home, 'beside'), 'two\nlines')).toMatchObject({ code: 2, err: expect.stringMatching(/^BadArgs: pattern /) });
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
