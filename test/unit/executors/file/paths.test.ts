import { describe, expect, it } from 'vitest';
import { type PathRule, parsePath, toPathBase } from '../../../../src/executors/file/paths.ts';

const BASES = [
  { id: 'main', path: '/base' },
  { id: 'second', path: '/srv/data' },
].map(toPathBase);

const long = (bytes: number): string => 'x'.repeat(bytes);

/** A path of exactly so many bytes, whose components have at most 255. */
function ofBytes(bytes: number, letter = 'x'): string {
  const path = `/base${`/${letter.repeat(250 / Buffer.byteLength(letter))}`.repeat(15)}`;
  const rest = bytes - Buffer.byteLength(path) - 2;
  return `${path}/${'y'.repeat(Math.ceil(rest / 2))}/${'z'.repeat(Math.floor(rest / 2))}`;
}

/** Every hostile path, and the first rule that it breaks. */
const CORPUS: readonly (readonly [unknown, PathRule])[] = [
  [undefined, 'string'],
  [null, 'string'],
  [42, 'string'],
  [true, 'string'],
  [['/base/x'], 'string'],
  [{ path: '/base/x' }, 'string'],
  [{ toString: () => '/base/x' }, 'string'],
  ['', 'empty'],
  ['//host/share/x', 'remote'],
  ['//base/x', 'remote'],
  ['///base/x', 'remote'],
  ['\\\\host\\share\\x', 'remote'],
  ['\\\\?\\C:\\x', 'remote'],
  ['file:///base/x', 'remote'],
  ['FILE:///base/x', 'remote'],
  ['file://localhost/base/x', 'remote'],
  ['smb://host/base/x', 'remote'],
  ['nfs://host/base/x', 'remote'],
  ['https://host/base/x', 'remote'],
  ['sftp+x.y-z://host/base/x', 'remote'],
  ['a/b', 'absolute'],
  ['./a', 'absolute'],
  ['../base/x', 'absolute'],
  ['base/x', 'absolute'],
  ['~/x', 'absolute'],
  [' /base/x', 'absolute'],
  ['C:\\base\\x', 'absolute'],
  ['C:/base/x', 'absolute'],
  ['\\base\\x', 'absolute'],
  ['file:/base/x', 'absolute'],
  ['.', 'absolute'],
  ['..', 'absolute'],
  ['\0/base/x', 'absolute'],
  ['/base/x\0', 'nul'],
  ['/base/x\0.txt', 'nul'],
  ['/base/../etc/passwd\0', 'nul'],
  ['/base/\ud800', 'surrogate'],
  ['/base/\udc00x', 'surrogate'],
  ['/base/\udc00\ud800', 'surrogate'],
  ['/base/../etc/passwd', 'traversal'],
  ['/base/a/../b', 'traversal'],
  ['/base/..', 'traversal'],
  ['/..', 'traversal'],
  ['/base//../x', 'traversal'],
  ['/base/./../x', 'traversal'],
  ['/../base/x', 'traversal'],
  ['/base/../base/x', 'traversal'],
  ['/base/a/../../base2/*', 'traversal'],
  ['/base/*', 'glob'],
  ['/base/*.txt', 'glob'],
  ['/base/?', 'glob'],
  ['/base/x?', 'glob'],
  ['/base/[a]', 'glob'],
  ['/base/a[', 'glob'],
  ['/base/a]', 'glob'],
  ['/base/**/x', 'glob'],
  ['/*', 'glob'],
  ['/base/', 'directory'],
  ['/base/a/', 'directory'],
  ['/base/a//', 'directory'],
  ['/base/a/.', 'directory'],
  ['/', 'directory'],
  ['/.', 'directory'],
  [`/base/${long(256)}`, 'length'],
  [`/base/${'é'.repeat(128)}`, 'length'],
  [`/base/${`${long(200)}/`.repeat(21)}x`, 'length'],
  [ofBytes(4096), 'length'],
  [ofBytes(4096, 'é'), 'length'],
  [`/base/${'./'.repeat(2046)}x`.slice(0, 4095).concat('y'), 'length'],
  ['/base/.writ-vault/x', 'reserved'],
  ['/base/.writ-tmp-x', 'reserved'],
  ['/base/.writ-', 'reserved'],
  ['/base/.WRIT-VAULT/x', 'reserved'],
  ['/base/.Writ-x', 'reserved'],
  ['/base/a/.writ-vault', 'reserved'],
  ['/base/.wrıt-vault/x', 'reserved'],
  ['/base/.writ-vault/d-0123456789012345678901234567890123456789-1', 'reserved'],
  ['/etc/.writ-x', 'reserved'],
  ['/etc/passwd', 'outside'],
  ['/base2/x', 'outside'],
  ['/bas/x', 'outside'],
  ['/Base/x', 'outside'],
  ['/basex', 'outside'],
  ['/srv/x', 'outside'],
  ['/srv/data2/x', 'outside'],
  ['/srv/./datax', 'outside'],
  ['/proc/self/root/base/x', 'outside'],
  ['/dev/fd/3', 'outside'],
  ['/base', 'base'],
  ['/./base', 'base'],
  ['/srv//data', 'base'],
];

describe('paths that break a rule', () => {
  it('has at least sixty of them', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(60);
  });

  for (const [raw, rule] of CORPUS) {
    it(`refuses ${JSON.stringify(raw)?.slice(0, 60)} by the rule '${rule}'`, { tags: ['FE-52'] }, () => {
      const answer = parsePath(raw, BASES);
      expect(answer).toMatchObject({ ok: false, rule });
    });
  }

  it('refuses relative paths', { tags: ['FE-16'] }, () => {
    for (const raw of ['a/b', './a']) expect(parsePath(raw, BASES)).toMatchObject({ ok: false, rule: 'absolute' });
  });

  it('refuses wildcards and glob patterns', { tags: ['FE-10'] }, () => {
    for (const raw of ['/base/*.txt', '/base/?', '/base/[a]']) expect(parsePath(raw, BASES)).toMatchObject({ ok: false, rule: 'glob' });
  });

  it('refuses file URLs, UNC and smb paths', { tags: ['FE-13'] }, () => {
    for (const raw of ['file:///base/x', '//host/base/x', '\\\\host\\base\\x', 'smb://host/base/x']) {
      expect(parsePath(raw, BASES)).toMatchObject({ ok: false, rule: 'remote' });
    }
  });

  it('looks for .. before it normalizes', { tags: ['FE-21'] }, () => {
    for (const raw of ['/base/../etc/x', '/base/a/../b']) expect(parsePath(raw, BASES)).toMatchObject({ ok: false, rule: 'traversal' });
  });

  it('compares with base directories by component, and excludes the base itself', { tags: ['FE-20'] }, () => {
    expect(parsePath('/base2/x', BASES)).toMatchObject({ ok: false, rule: 'outside' });
    expect(parsePath('/base', BASES)).toMatchObject({ ok: false, rule: 'base' });
  });

  it('refuses everything when no base directory is configured', { tags: ['FE-19'] }, () => {
    for (const raw of ['/base/x', '/x', '/tmp/x']) expect(parsePath(raw, [])).toMatchObject({ ok: false, rule: 'outside' });
  });

  it('quotes only the words of the producer, shortened and well-formed', () => {
    const answer = parsePath(`/base/\ud800${long(5000)}`, BASES);
    const message = answer.ok ? '' : answer.message;
    expect(message.length).toBeLessThan(400);
    expect(message).not.toMatch(/\p{Surrogate}/u);
    expect(message).not.toContain('/srv/data');
  });
});

describe('paths that keep every rule', () => {
  const GOOD: readonly (readonly [string, string, string])[] = [
    ['/base/x', 'main', 'x'],
    ['/base//a/./x', 'main', 'a/x'],
    ['/./base/x', 'main', 'x'],
    ['/base/...', 'main', '...'],
    ['/base/..x', 'main', '..x'],
    ['/base/x..', 'main', 'x..'],
    ['/base/; rm -rf x', 'main', '; rm -rf x'],
    ['/base/$(reboot)', 'main', '$(reboot)'],
    ['/base/%2e%2e/x', 'main', '%2e%2e/x'],
    ['/base/a\\b', 'main', 'a\\b'],
    ['/base/{a,b}', 'main', '{a,b}'],
    ['/base/new\nline', 'main', 'new\nline'],
    ['/base/.writ', 'main', '.writ'],
    ['/base/x.writ-y', 'main', 'x.writ-y'],
    ['/base/😀', 'main', '😀'],
    [`/base/${long(255)}`, 'main', long(255)],
    ['/srv/data/a/b', 'second', 'a/b'],
  ];
  for (const [raw, base, inside] of GOOD) {
    it(`takes ${JSON.stringify(raw).slice(0, 60)} literally`, () => {
      const answer = parsePath(raw, BASES);
      expect(answer).toMatchObject({ ok: true, path: { base, segments: inside.split('/'), inVault: false } });
    });
  }

  it('are as long as PATH_MAX allows with its NUL: 4,095 bytes', () => {
    for (const raw of [ofBytes(4095), ofBytes(4095, 'é')]) {
      expect(Buffer.byteLength(raw)).toBe(4095);
      expect(parsePath(raw, BASES)).toMatchObject({ ok: true });
    }
  });

  it('normalizes before use: /b//a/./x is /b/a/x', { tags: ['FE-18'] }, () => {
    const [one, other] = [parsePath('/base//a/./x', BASES), parsePath('/base/a/x', BASES)];
    expect(one).toEqual(other);
    expect(one).toMatchObject({ ok: true, path: { absolute: '/base/a/x' } });
  });
});

describe('vault paths', () => {
  const entry = `d-${'0123456789'.repeat(4)}-1`;

  it('are legal only where an undo permits them, and only as a direct entry', () => {
    expect(parsePath(`/base/.writ-vault/${entry}`, BASES, true)).toMatchObject({ ok: true, path: { inVault: true, segments: ['.writ-vault', entry] } });
    expect(parsePath(`/base/.writ-vault/${entry}`, BASES)).toMatchObject({ ok: false, rule: 'reserved' });
    const illegal = [
      `/base/a/.writ-vault/${entry}`,
      `/base/.writ-vault/${entry}/x`,
      '/base/.writ-vault/x',
      '/base/.writ-vault',
      `/base/.WRIT-VAULT/${entry}`,
      `/etc/.writ-vault/${entry}`,
    ];
    for (const raw of illegal) expect(parsePath(raw, BASES, true)).toMatchObject({ ok: false, rule: 'reserved' });
    expect(parsePath('/base/.writ-vault/.writ-mark', BASES, true)).toMatchObject({ ok: false, rule: 'reserved' });
  });
});
