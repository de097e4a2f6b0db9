import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DIALECTS } from '../../../src/content-search/backends/dialects.ts';
import { findBackends } from '../../../src/content-search/io/backend/find-backends.ts';
import type { BackendJob, BackendQuery, SearchBackend } from '../../../src/core/ports/index.ts';
import { processEntry } from '../../../src/core/process-entry.ts';
import { PATIENCE } from '../../support/patience.ts';

const QUERY: BackendQuery = { pattern: 'needle', fixedStrings: false, wordRegexp: false, ignoreCase: false, context: 0, fuzzy: 0, maxCount: 1000 };

let directory: string;
let backends: readonly SearchBackend[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'writ-backends-'));
  backends = (await findBackends({ names: ['ugrep'], searchPath: '/usr/bin:/bin', dialects: DIALECTS })).found.map(({ backend }) => backend);
  expect(backends.map(({ kind }) => kind)).toEqual(['ugrep', 'rg']);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(directory, name), content);
  return name;
}

async function output(backend: SearchBackend, query: Partial<BackendQuery>, files: readonly string[], more: Partial<BackendJob> = {}) {
  const process = backend.start({ query: { ...QUERY, ...query }, cwd: directory, files, ...more });
  const blocks: Buffer[] = [];
  for await (const block of process.stdout) blocks.push(block);
  return { text: Buffer.concat(blocks).toString('latin1'), end: await process.ended };
}

/** What both print, when they print the same. */
async function agreed(query: Partial<BackendQuery>, files: readonly string[]): Promise<string> {
  const [one, other] = await Promise.all(backends.map((backend) => output(backend, query, files)));
  expect(one?.text).toBe(other?.text);
  return one?.text ?? '';
}

const bytes = (...parts: (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));

describe('ugrep and ripgrep', () => {
  it.each([
    ['no content', Buffer.alloc(0), ''],
    ['no final line end', bytes('a needle'), '1:a needle\n'],
    ['CRLF', bytes('one\r\na needle\r\n'), '2:a needle\r\n'],
    ['a lone CR', bytes('a\rneedle\rb\n'), '1:a\rneedle\rb\n'],
    ['NULs', bytes('x\0needle\nneedle\0y\n'), '1:x\0needle\n2:needle\0y\n'],
    ['a NUL far in front', bytes('\0\n', 'x\n'.repeat(50_000), 'needle\n'), '50002:needle\n'],
    ['bytes that are not UTF-8', bytes(0xff, ' needle ', 0xfe, '\n', 0xe2, 0x82, 'needle\n'), '1:\xff needle \xfe\n2:\xe2\x82needle\n'],
    ['a BOM of UTF-8', bytes('\ufeffneedle\n'), '1:needle\n'],
    ['UTF-16 with a BOM', bytes('\ufeff').subarray(0, 0), ''],
    ['UTF-16LE', Buffer.from('\ufeffneedle é\nx\nneedle', 'utf16le'), '1:needle \xc3\xa9\n3:needle\n'],
    ['UTF-16BE', Buffer.from('\ufeffneedle é\r\nneedle', 'utf16le').swap16(), '1:needle \xc3\xa9\r\n2:needle\n'],
    ['UTF-16 without a BOM', Buffer.from('needle\n', 'utf16le'), ''],
    ['escapes', bytes('\x1b[31mneedle\x1b[0m\n'), '1:\x1b[31mneedle\x1b[0m\n'],
  ])('print the same for a file with %s', async (_, content, lines) => {
    const printed = lines.replace(/[^\n]+\n/g, './odd\0$&');
    expect(await agreed({}, [file('odd', content)])).toBe(printed);
    expect(await agreed({ fixedStrings: true }, ['odd'])).toBe(printed);
  });

  it('print the same for names that look like options, globs, negations and records', { tags: ['FR-LSI-BE-01.1', 'FR-LSI-BE-UG-01'] }, async () => {
    const names = ['-e', '--help', '!not', '#hash', 'a*b', '[x]', 'back\\slash', 'colon:1-x', 'line\nend', 'quote"s\'', 'space ', '{a,b}', '~', 'é'];
    for (const name of names) file(name, 'needle\n');
    expect(await agreed({}, names)).toBe(names.map((name) => Buffer.from(`./${name}\x001:needle\n`).toString('latin1')).join(''));
  });

  it('print the same context, merged where it overlaps', { tags: ['FR-LSI-CTX-01'] }, async () => {
    file('context', Array.from({ length: 30 }, (_, n) => ([3, 5, 12, 13].includes(n) ? `needle ${n}` : `line ${n}`)).join('\n'));
    for (const context of [1, 2, 3, 10_000]) {
      const printed = await agreed({ context }, ['context', 'context']);
      expect(printed).toContain('./context\x003-line 2\n./context\x004:needle 3\n./context\x005-line 4\n./context\x006:needle 5\n');
    }
  });

  it('print the same for what matches the empty string, for lines that are empty, and for words of ASCII', async () => {
    file('empties', 'a\n\nneedle needles\n\nx_needle\n');
    for (const query of [
      { pattern: 'x*' },
      { pattern: '^' },
      { pattern: '^$' },
      { pattern: '$' },
      { wordRegexp: true },
      { pattern: 'needle', wordRegexp: true, fixedStrings: true },
    ]) {
      await agreed(query, ['empties']);
    }
  });

  it('print the first matches of a file and stop there, alike up to the last of them', async () => {
    file('many', 'needle\nx\n'.repeat(50));
    expect((await agreed({ maxCount: 7 }, ['many'])).split('\n')).toHaveLength(8);
  });

  it('call a file that they get by descriptor <stdin>, and read nothing when they get none', async () => {
    file('by descriptor', 'x\nneedle\n');
    for (const backend of backends) {
      const fd = openSync(join(directory, 'by descriptor'), 'r');
      expect(await output(backend, {}, [], { descriptor: { fd } })).toMatchObject({ text: '<stdin>\x002:needle\n', end: { code: 0 } });
      expect(() => readFileSync(fd)).toThrow('EBADF');
      expect(await output(backend, {}, [])).toMatchObject({ text: '', end: { code: 1 } });
    }
  });

  it('differ where docs/search-backends.md says so', async () => {
    file('utf-32', bytes(0xff, 0xfe, 0, 0, 'n', 0, 0, 0));
    file('crlf', 'needle\r\n');
    file('lines', 'one\ntwo\n');
    file('word', 'énorme\n');
    file('letters', 'É\n');
    const both = (query: Partial<BackendQuery>, name: string) =>
      Promise.all(backends.map(async (backend) => (await output(backend, query, [name])).text.replace(`./${name}\0`, '')));
    expect(await both({ pattern: 'n' }, 'utf-32')).toEqual(['1:n\n', '1:n\0\n'].map((line, index) => (index === 0 ? line : expect.any(String))));
    expect(await both({ pattern: 'needle$' }, 'crlf')).toEqual(['1:needle\r\n', '']);
    expect(await both({ pattern: 'e\\nt' }, 'lines')).toEqual([expect.stringMatching(/^1:one\n.*2\|two\n$/s), '']);
    expect(await both({ pattern: 'norme', wordRegexp: true }, 'word')).toEqual([expect.stringContaining('norme'), '']);
    expect(await both({ pattern: 'é', ignoreCase: true }, 'letters')).toEqual(['', '1:\xc3\x89\n']);
  });

  it('take no notice of settings in files and variables', async () => {
    const home = join(directory, 'home');
    mkdirSync(home);
    for (const name of ['.ugrep', '.ripgreprc']) writeFileSync(join(home, name), '--invert-match\n');
    vi.stubEnv('HOME', home);
    vi.stubEnv('RIPGREP_CONFIG_PATH', join(home, '.ripgreprc'));
    vi.stubEnv('GREP_OPTIONS', '-v');
    vi.stubEnv('GREP_COLORS', 'mt=1');
    file('plain', 'needle\nhay\n');
    expect(await agreed({}, ['plain'])).toBe('./plain\x001:needle\n');
    for (const backend of backends) expect((await output(backend, {}, ['plain'], { cwd: home })).end.code).toBe(2);
    vi.unstubAllEnvs();
  });
});

describe('an exit code', () => {
  it('says less than the output: measured for each backend', { tags: ['FR-LSI-EXIT-02'] }, async () => {
    file('match', 'needle\n');
    file('hay', 'hay\n');
    const codes = async (query: Partial<BackendQuery>, files: readonly string[]) =>
      Promise.all(
        backends.map(async (backend) => {
          const { text, end } = await output(backend, query, files);
          return [end.code, text !== '', end.stderr !== ''];
        }),
      );
    expect(await codes({}, ['match'])).toEqual([
      [0, true, false],
      [0, true, false],
    ]);
    expect(await codes({}, ['hay'])).toEqual([
      [1, false, false],
      [1, false, false],
    ]);
    expect(await codes({}, ['gone', 'match'])).toEqual([
      [0, true, true],
      [2, true, true],
    ]);
    expect(await codes({}, ['gone', 'hay'])).toEqual([
      [1, false, true],
      [2, false, true],
    ]);
    expect(await codes({ pattern: '(' }, ['match'])).toEqual([
      [2, false, true],
      [2, false, true],
    ]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function children(): readonly number[] {
  return readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((pid) => pid !== '')
      .map(Number),
  );
}

/** A job that never ends: standard input is a FIFO whose other end the process holds itself. */
async function endless(): Promise<BackendJob> {
  const name = join(directory, 'fifo');
  if (!existsSync(name)) await once(spawn('mkfifo', [name]), 'exit');
  return { query: QUERY, cwd: directory, files: [], descriptor: { fd: openSync(name, 'r+') } };
}

describe('a process', () => {
  it('that is killed is gone when it has ended, with its descriptors, read or unread', async () => {
    file('endless', 'needle\n'.repeat(500_000));
    // The first start of all opens what stays open.
    for (const backend of backends) await output(backend, {}, ['endless']);
    await endless().then(({ descriptor }) => closeSync(descriptor?.fd ?? 0));
    const before = { children: children().length, descriptors: readdirSync('/proc/self/fd').length };
    for (const backend of backends) {
      for (const job of [await endless(), { query: { ...QUERY, maxCount: 1e6 }, cwd: directory, files: ['endless'] }]) {
        const process = backend.start(job);
        expect(children()).toHaveLength(before.children + 1);
        process.kill();
        expect(await process.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
        expect(children()).toHaveLength(before.children);
      }
    }
    await vi.waitFor(() => expect(readdirSync('/proc/self/fd')).toHaveLength(before.descriptors), PATIENCE);
  });

  it('whose reader leaves can be killed and ends', async () => {
    file('endless', 'needle\n'.repeat(500_000));
    for (const backend of backends) {
      const process = backend.start({ query: { ...QUERY, maxCount: 1e6 }, cwd: directory, files: ['endless'] });
      // Not a loop that is left: that closes the stream, and a backend without a reader may end before it is killed.
      const first = await process.stdout[Symbol.asyncIterator]().next();
      expect(first.value?.length).toBeGreaterThan(0);
      process.kill();
      expect(await process.ended).toMatchObject({ signal: 'SIGKILL' });
    }
  });

  it('that cannot be started is a value: too many arguments, a directory that is not there', { tags: ['FR-LSI-EXE-01'] }, async () => {
    for (const backend of backends) {
      const many = Array.from({ length: 40_000 }, (_, n) => `${'x'.repeat(100)}${n}`);
      expect((await output(backend, {}, many)).end).toMatchObject({ code: null, startError: 'E2BIG' });
      expect((await output(backend, {}, ['a'], { cwd: join(directory, 'nowhere') })).end).toMatchObject({ code: null, startError: 'ENOENT' });
    }
  });

  it('dies with its parent, also when that is killed', async () => {
    const { file: entry, execArgv } = processEntry(new URL('./backend-parent.ts', import.meta.url));
    const parent = spawn(process.execPath, [...execArgv, entry, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pids = String(line).trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual(pids);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), PATIENCE);
  });

  it('gets an environment of its own and no descriptor of ours', async () => {
    vi.stubEnv('WRIT_SECRET_KEY', 'secret');
    const kept = openSync(fileURLToPath(import.meta.url), 'r');
    for (const backend of backends) {
      const others = new Set(children());
      const process = backend.start(await endless());
      const pid = children().find((child) => !others.has(child));
      await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/comm`, 'utf8').trim()).toBe(backend.kind), PATIENCE);
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('LC_ALL=C.UTF-8\0');
      expect(readdirSync(`/proc/${pid}/fd`).includes(String(kept))).toBe(false);
      process.kill();
      await process.ended;
    }
    vi.unstubAllEnvs();
  });
});
