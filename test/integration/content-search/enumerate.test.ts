import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileDenied } from '../../../src/content-search/enumerate/denied.ts';
import { enumerate } from '../../../src/content-search/enumerate/enumerate.ts';
import { compileGlobs } from '../../../src/content-search/enumerate/globs.ts';
import type { EnumerateOptions } from '../../../src/content-search/enumerate/walk-context.ts';
import { nodeSearchTree } from '../../../src/content-search/io/tree/tree.ts';
import type { Candidate, Enumeration } from '../../../src/content-search/search/types.ts';
import type { SearchTree } from '../../../src/core/ports/index.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'writ-walk-')));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Plants files: a path with its text, a directory with a `/` at its end. */
function plant(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    if (file.endsWith('/')) mkdirSync(path.join(root, file), { recursive: true });
    else writeFileSync(path.join(root, file), text);
  }
}

type SearchCounter = Partial<Omit<EnumerateOptions, 'globs' | 'denied'>> & {
  readonly globs?: readonly string[];
  readonly denied?: readonly string[];
  readonly tree?: SearchTree;
};

function walk({ globs = [], denied = [], tree = nodeSearchTree(), ...asked }: SearchCounter = {}): Enumeration {
  const compiled = compileGlobs(globs);
  if (!compiled.ok) throw new Error(compiled.message);
  const defaults = { orderRoot: root, start: '', hidden: false, follow: false, noIgnore: false, allowedRoots: [root], globalIgnore: undefined };
  return enumerate(tree, { ...defaults, ...asked, globs: compiled.globs, denied: compileDenied(denied) });
}

function rest(files: Enumeration): Candidate[] {
  const found: Candidate[] = [];
  for (let more = files.next(100); more.length > 0; more = files.next(100)) found.push(...more);
  return found;
}

const texts = (asked?: SearchCounter): string[] => rest(walk(asked)).map(({ text }) => text);

/** Counts what is asked of the file system. */
function watched(): { readonly tree: SearchTree; readonly listed: string[] } {
  const real = nodeSearchTree();
  const listed: string[] = [];
  return {
    listed,
    tree: {
      ...real,
      list(directory) {
        listed.push(path.relative(root, directory.toString()));
        return real.list(directory);
      },
    },
  };
}

describe('names', () => {
  it('of every kind are listed as they are', { tags: ['T-LSI-PATH-01'] }, () => {
    const names = ['!bang', '"q"', '#hash', '*star', '-dash', 'a\nb', 'back\\slash', 'br[a]', 'esc\u001b[31m', 'trail ', '{x,y}', '~'];
    plant(Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(texts()).toEqual(names);
  });

  it('that are not UTF-8 keep their bytes, and are shown with U+FFFD', { tags: ['T-LSI-PATH-02', 'LSI-PATH-11'] }, () => {
    const directory = Buffer.concat([Buffer.from(`${root}/d`), Buffer.from([0xff])]);
    mkdirSync(directory);
    writeFileSync(Buffer.concat([directory, Buffer.from('/in')]), 'x');
    for (const last of [0xfe, 0xfd]) writeFileSync(Buffer.concat([Buffer.from(`${root}/n`), Buffer.from([last])]), 'x');
    writeFileSync(`${root}/n\ufffd`, 'x');
    const found = rest(walk());
    expect(found.map(({ text }) => text)).toEqual(['d\ufffd/in', 'n\ufffd', 'n\ufffd', 'n\ufffd']);
    expect(found.map(({ raw }) => raw?.toString('latin1'))).toEqual(['d\xff/in', undefined, 'n\xfd', 'n\xfe']);
  });

  it('that are NFC twins are both there; directories that are twins are walked as one', { tags: ['LSI-PATH-12', 'T-LSI-PATH-03'] }, () => {
    plant({ 'e\u0301/b': 'x', 'é/a': 'x', 'é/c/x': 'x', 'e\u0301/c/w': 'x', 'e\u0301f': 'x', éf: 'x' });
    expect(texts()).toEqual(['é/a', 'e\u0301/b', 'e\u0301/c/w', 'é/c/x', 'e\u0301f', 'éf']);
  });

  it('are compared as paths, not name by name', { tags: ['FR-LSI-ORD-03.1', 'LSI-PATH-15'] }, () => {
    plant({ 'a/B': '', 'a/sub/y': '', 'a b': '', 'a-b/x': '', 'a.txt': '', a0: '' });
    expect(texts()).toEqual(['a b', 'a-b/x', 'a.txt', 'a/B', 'a/sub/y', 'a0']);
  });

  it('of Writ are never seen, hidden or not, nor can the walk begin in them', () => {
    plant({ '.writ-vault/x': '', 'a/.WRIT-tmp-1': '', 'a/b': '', 'a/writ-x': '' });
    expect(texts({ hidden: true, noIgnore: true })).toEqual(['a/b', 'a/writ-x']);
    expect(texts({ hidden: true, start: '.writ-vault' })).toEqual([]);
    expect(texts({ hidden: true, start: '.writ-vault/x' })).toEqual([]);
  });
});

describe('what a search may not see', () => {
  it('is neither listed nor entered when denied, by its path as seen or as it really lies', { tags: ['T-LSI-SEC-01', 'SEC-LSI-01'] }, () => {
    plant({ '.ssh/config': '', 'a.pem': '', 'k.pem/x': '', 'ok/.ssh/y': '', 'ok/z': '' });
    symlinkSync('../.ssh/config', path.join(root, 'ok/link'));
    const { tree, listed } = watched();
    expect(texts({ hidden: true, follow: true, denied: ['**/.ssh/**', '**/*.pem'], tree })).toEqual(['ok/z']);
    expect(listed).not.toContain('k.pem');
  });

  it('is no ignore file either', () => {
    plant({ '.gitignore': 'a', a: '' });
    expect(texts({ denied: ['.gitignore'] })).toEqual(['a']);
  });
});

describe('links', () => {
  it('are not listed unless followed; followed, they are what they lead to, inside of the allowed roots only', { tags: ['T-LSI-PATH-04'] }, () => {
    const outside = mkdtempSync(path.join(os.tmpdir(), 'writ-outside-'));
    writeFileSync(path.join(outside, 'secret'), 'x');
    plant({ 'd/f': '', g: '' });
    symlinkSync('../g', path.join(root, 'd/tog'));
    symlinkSync('d', path.join(root, 'tod'));
    symlinkSync(outside, path.join(root, 'out'));
    symlinkSync(path.join(outside, 'secret'), path.join(root, 'outfile'));
    symlinkSync('nowhere', path.join(root, 'broken'));
    expect(texts()).toEqual(['d/f', 'g']);
    expect(texts({ follow: true })).toEqual(['d/f', 'd/tog', 'g', 'tod/f', 'tod/tog']);
    expect(texts({ follow: true, allowedRoots: [root, outside] })).toContain('out/secret');
    rmSync(outside, { recursive: true });
  });

  it('that make a loop end where a directory would be its own ancestor', () => {
    plant({ 'a/b/f': '' });
    symlinkSync('..', path.join(root, 'a/b/up'));
    symlinkSync('../..', path.join(root, 'a/b/top'));
    symlinkSync('.', path.join(root, 'self'));
    expect(texts({ follow: true })).toEqual(['a/b/f']);
    expect(texts({ follow: true, start: 'a/b' })).toEqual(['a/b/f']);
  });

  it('do not lead into a directory of git or of Writ', () => {
    plant({ '.git/config': '', '.writ-vault/x': '', f: '' });
    symlinkSync('.git', path.join(root, 'g'));
    symlinkSync('.writ-vault', path.join(root, 'v'));
    symlinkSync('.git/config', path.join(root, 'c'));
    expect(texts({ follow: true, hidden: true })).toEqual(['f']);
  });
});

describe('ignore rules', () => {
  it('hold from the order root down, with or without a .git, nested repositories included; a deeper file wins', { tags: ['FR-LSI-ELIG-01.1'] }, () => {
    plant({ '.gitignore': '*.o\nsub/x\n', 'a.o': '', 'sub/x': '', 'sub/b.o': '', 'sub/.git/HEAD': '', 'sub/.gitignore': '!b.o\n', 'sub/y': '' });
    expect(texts()).toEqual(['sub/b.o', 'sub/y']);
    expect(texts({ start: 'sub' })).toEqual(['sub/b.o', 'sub/y']);
    expect(texts({ noIgnore: true })).toEqual(['a.o', 'sub/b.o', 'sub/x', 'sub/y']);
  });

  it('are asked in this order: .ignore anywhere, .gitignore anywhere, .git/info/exclude, global', () => {
    plant({ 'd/w': '', 'd/x': '', 'd/y': '', 'd/z': '' });
    const global = 'w\nx\ny\nz\n';
    expect(texts({ globalIgnore: global })).toEqual([]);
    plant({ '.git/info/exclude': '!x\n!y\n!z\n' });
    expect(texts({ globalIgnore: global })).toEqual(['d/x', 'd/y', 'd/z']);
    plant({ 'd/.gitignore': 'y\nz\n' });
    expect(texts({ globalIgnore: global })).toEqual(['d/x']);
    plant({ '.ignore': '!z\n' });
    expect(texts({ globalIgnore: global })).toEqual(['d/x', 'd/z']);
  });

  it('do not hold for the path that is asked for, but for what lies beneath it', () => {
    plant({ '.gitignore': 'build/\n*.log\n', 'build/a': '', 'build/b.log': '', '.github/x': '', '.github/.y': '' });
    expect([texts(), texts({ start: 'build' }), texts({ start: 'build/b.log' }), texts({ start: '.github' })]).toEqual([
      [],
      ['build/a'],
      ['build/b.log'],
      ['.github/x'],
    ]);
  });

  it('of a file that is too large do not hold, and the answer says so', () => {
    plant({ 'a/.gitignore': `x\n${'#'.repeat(1 << 20)}`, 'a/x': '' });
    const files = walk();
    expect(rest(files).map(({ text }) => text)).toEqual(['a/x']);
    expect(files.warnings).toEqual([{ before: 0, line: 'a/.gitignore: File too large (its rules do not hold)' }]);
  });

  it('behind a link are not read, and what a link could point to is no matter', () => {
    plant({ rules: 'x\n', x: '' });
    symlinkSync('rules', path.join(root, '.gitignore'));
    symlinkSync('/dev/zero', path.join(root, '.ignore'));
    const files = walk();
    expect(rest(files).map(({ text }) => text)).toEqual(['rules', 'x']);
    expect(files.warnings).toEqual([]);
  });

  it('never show .git itself, unless the walk begins in it', () => {
    plant({ '.git/config': '', '.git/hooks/h': '', 'sub/.git': 'gitdir: ../x', 'sub/f': '' });
    expect(texts({ hidden: true })).toEqual(['sub/.git', 'sub/f']);
    expect(texts({ start: '.git', hidden: true })).toEqual(['.git/config', '.git/hooks/h']);
  });
});

describe('globs', () => {
  it('let in what one of them names, leave out what a later ! names, and un-ignore nothing', () => {
    plant({ '.gitignore': 'gen\n', 'a.ts': '', 'a.test.ts': '', 'b.js': '', gen: '', 'd/c.ts': '', 'skip/e.ts': '' });
    const { tree, listed } = watched();
    expect(texts({ globs: ['*.{ts,js}', '!*.test.ts', '!skip', 'gen'], tree })).toEqual(['a.ts', 'b.js', 'd/c.ts']);
    expect(listed).not.toContain('skip');
    expect(texts({ globs: ['!*.ts'] })).toEqual(['b.js']);
    expect(texts({ globs: ['/*.ts'] })).toEqual(['a.test.ts', 'a.ts']);
    expect(texts({ globs: ['*.js'], start: 'a.ts' })).toEqual([]);
  });

  it('are patterns, not lines: # is a character, and so are spaces and escaped braces', () => {
    plant({ '#x': '', 'y ': '', '{a,b}': '', a: '', '\\': '' });
    expect([
      texts({ globs: ['#x'] }),
      texts({ globs: ['y '] }),
      texts({ globs: ['\\{a,b\\}'] }),
      texts({ globs: ['[{]a,b}'] }),
      texts({ globs: ['{\\\\,zz}'] }),
    ]).toEqual([['#x'], ['y '], ['{a,b}'], ['{a,b}'], ['\\']]);
  });

  it('that can fit nothing are refused, and so are braces without measure', () => {
    const refused = (glob: string): boolean => !compileGlobs(['ok', glob]).ok;
    expect(['a[b', 'a\\', 'a//b', '!', '', 'a\0b', '{a,b}'.repeat(13), `{${'a,'.repeat(5_000)}b}`].map(refused)).toEqual(Array(8).fill(true));
    expect(compileGlobs(['ok', 'a[b'])).toMatchObject({ ok: false, index: 1 });
  });
});

describe('large and broken trees', () => {
  it('are read no further than the files that are asked for', () => {
    plant(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`d${at}/f`, ''])));
    const { tree, listed } = watched();
    const files = walk({ tree });
    expect(listed).toEqual([]);
    expect(files.next(2).map(({ text }) => text)).toEqual(['d0/f', 'd1/f']);
    expect(listed).toEqual(['', 'd0', 'd1']);
  });

  it('may be deeper than a path can be long: what cannot be reached is told, the rest is listed', () => {
    const name = 'd'.repeat(19);
    const dig = `for (let i = 0; i < 230; i++) { fs.writeFileSync("f", ""); fs.mkdirSync("${name}"); process.chdir("${name}"); }`;
    expect(spawnSync(process.execPath, ['-e', dig], { cwd: root }).status).toBe(0);
    const files = walk();
    const found = rest(files);
    const levels = Math.floor((4_095 - root.length - 2) / (name.length + 1));
    expect([found.length, found.at(0)?.text]).toEqual([levels + 1, `${`${name}/`.repeat(levels)}f`]);
    expect(files.warnings).toEqual([{ before: 0, line: `${`${name}/`.repeat(levels)}${name}: File name too long` }]);
    // Only a program that goes down step by step can remove it.
    expect(spawnSync('rm', ['-rf', path.join(root, name)]).status).toBe(0);
  });

  it('may have files whose own names make the path too long; a thousand of them are named', () => {
    const directory = `${'d'.repeat(250)}/`.repeat(16).slice(0, -1);
    const names = Array.from({ length: 5_000 }, (_, at) => ({ name: `${at}`.padStart(100, '0'), kind: 'file' as const }));
    const real = nodeSearchTree();
    mkdirSync(path.join(root, directory.slice(0, 2_000)), { recursive: true });
    const levels: SearchTree = {
      ...real,
      list: (at) => (at.length - root.length >= directory.length ? [...names, { name: 'z', kind: 'file' }] : [{ name: 'd'.repeat(250), kind: 'directory' }]),
    };
    const files = walk({ tree: levels });
    expect(rest(files).map(({ text }) => text)).toEqual([`${directory}/z`]);
    expect(files.warnings.length).toBe(1_001);
  });

  it('may have a million entries in a directory', () => {
    const names = Array.from({ length: 1_000_000 }, (_, at) => ({ name: `f${(at * 7_919) % 1_000_000}`.padEnd(8, 'x'), kind: 'file' as const }));
    const files = walk({ tree: { ...nodeSearchTree(), list: () => names } });
    let [count, last] = [0, ''];
    for (let more = files.next(10_000); more.length > 0; more = files.next(10_000)) {
      for (const { text } of more) {
        if (text <= last) throw new Error('out of order');
        last = text;
      }
      count += more.length;
    }
    expect(count).toBe(1_000_000);
  });

  it('are left when it is time to stop, in the middle of a directory too', () => {
    let asked = 0;
    const names = Array.from({ length: 1_000 }, (_, at) => ({ name: `f${at}`, kind: 'file' as const }));
    expect(texts({ tree: { ...nodeSearchTree(), list: () => names }, stop: () => ++asked > 3 })).toEqual([]);
    expect(asked).toBe(4);
  });

  it('tell of whatever the file system refuses, with control characters made visible', () => {
    plant({ a: '', 'b\u001b[31m/x': '', c: '' });
    const real = nodeSearchTree();
    const files = walk({ tree: { ...real, list: (directory) => (directory.includes('b\u001b') ? { refused: 'EIO' } : real.list(directory)) } });
    expect(rest(files).map(({ text }) => text)).toEqual(['a', 'c']);
    expect(files.warnings).toEqual([{ before: 1, line: 'b\\x1b[31m: Input/output error' }]);
  });
});
