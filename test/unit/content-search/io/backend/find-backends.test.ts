import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../../../src/content-search/backends/dialects.ts';
import { findBackends, findProgram, isNewEnough, versionIn } from '../../../../../src/content-search/io/backend/find-backends.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'writ-backends-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function program(name: string, script: string): string {
  const file = join(directory, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

describe('the version of a backend', () => {
  it('is read from what it says about itself', { tags: ['FR-LSI-BE-CAP-01.1', 'FR-LSI-BE-CAP-01.2'] }, () => {
    expect(versionIn('ugrep 3.11.2 x86_64-pc-linux-gnu +sse2', DIALECTS.ugrep.version)).toEqual([3, 11, 2]);
    expect(versionIn('ripgrep 15.0.0 (rev 3a612f88b8)', DIALECTS.rg.version)).toEqual([15, 0, 0]);
    expect(versionIn('ripgrep 14.1', DIALECTS.rg.version)).toEqual([14, 1, 0]);
    expect(versionIn('grep (GNU grep) 3.8', DIALECTS.rg.version)).toBeUndefined();
  });

  it('is compared by major, then minor, then patch', { tags: ['FR-LSI-BE-CAP-01.3'] }, () => {
    const version = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }), fc.nat({ max: 3 }));
    const asNumber = ([major, minor, patch]: readonly [number, number, number]): number => major * 100 + minor * 10 + patch;
    fc.assert(fc.property(version, version, (one, other) => isNewEnough(one, other) === asNumber(one) >= asNumber(other)));
  });
});

describe('the backends of this host', () => {
  it('are ugrep and, as it always is there, the ripgrep of the package', { tags: ['LSI-BE-GEN', 'FR-LSI-BE-02', 'FR-LSI-BE-CAP-01.4'] }, async () => {
    const { found, missed } = await findBackends({ names: ['ugrep', 'no-such-program'], searchPath: '/usr/bin:/bin', dialects: DIALECTS });
    expect(found.map(({ backend: { kind, folding, fuzzy, fileList } }) => ({ kind, folding, fuzzy, fileList }))).toEqual([
      { kind: 'ugrep', folding: 'ASCII', fuzzy: true, fileList: 'ARGV_CHUNKED' },
      { kind: 'rg', folding: 'UNICODE_SIMPLE', fuzzy: false, fileList: 'ARGV_CHUNKED' },
    ]);
    expect(found[0]?.backend.id).toMatch(/^ugrep@3\.\d+\.\d+$/);
    expect(missed).toEqual([{ name: 'no-such-program', why: 'not found' }]);
  });

  it('are not looked for when there are enough', async () => {
    const { found, missed } = await findBackends({ names: ['no-such-program', 'ugrep'], searchPath: '/usr/bin:/bin', dialects: DIALECTS, enough: 1 });
    expect(found.map(({ backend }) => backend.kind)).toEqual(['ugrep']);
    expect(missed).toHaveLength(1);
  });

  it('do not include programs that are too old, other ones, or ones that behave otherwise', { tags: ['FR-LSI-BE-02', 'FR-LSI-BE-CAP-02'] }, async () => {
    const old = program('old', 'echo ripgrep 12.1.1');
    const other = program('other', 'echo grep 3.8');
    const strange = program('strange', 'if [ "$1" = --version ]; then echo ugrep 9.0.0; else cat; fi');
    const refusing = program('refusing', 'if [ "$1" = --version ]; then echo ugrep 9.0.0; else echo no such option >&2; exit 2; fi');
    const { found, missed } = await findBackends({ names: [old, other, strange, refusing], searchPath: '/usr/bin:/bin', dialects: DIALECTS });
    expect(found.map(({ backend }) => backend.kind)).toEqual(['rg']);
    expect(missed).toEqual([
      { name: old, why: 'version 12.1.1 is older than 13.0.0' },
      { name: other, why: 'does not say that it is ugrep or ripgrep' },
      { name: strange, why: 'does not print name, NUL, line number and text' },
      { name: refusing, why: 'refuses the options of a search: no such option' },
    ]);
  });
});

describe('a program', () => {
  it('is looked up in absolute directories only, and a path must be absolute', () => {
    program('tool', 'true');
    expect(findProgram('tool', `relative:${directory}`)).toBe(join(directory, 'tool'));
    expect(findProgram('tool', '/nowhere')).toBeUndefined();
    expect(findProgram(join(directory, 'tool'), '')).toBe(join(directory, 'tool'));
    expect(findProgram('./tool', directory)).toBeUndefined();
    writeFileSync(join(directory, 'plain'), 'x');
    expect(findProgram('plain', directory)).toBeUndefined();
    expect(findProgram('', directory)).toBeUndefined();
  });
});

describe('a program that was looked at', () => {
  const log = (): number => readFileSync(join(directory, 'starts'), 'utf8').split('\n').length - 1;
  const wrapper = (more = ''): string => program('watched', `echo start >> '${join(directory, 'starts')}'\nexec '${rgPath}' "$@"${more}`);
  const look = (name: string) => findBackends({ names: [name], searchPath: '/usr/bin:/bin', dialects: DIALECTS });

  it('is not asked again, until its file is another one', async () => {
    const file = wrapper();
    const first = await look(file);
    const starts = log();
    expect((await look(file)).found.map(({ backend }) => backend.id)).toEqual(first.found.map(({ backend }) => backend.id));
    expect(log()).toBe(starts);
    wrapper('\n# changed');
    await look(file);
    expect(log()).toBe(2 * starts);
  });

  it('and could not be used is asked again: it may have been mended beneath its name', async () => {
    const file = program('sick', `echo start >> '${join(directory, 'sick-starts')}'\nexit 1`);
    for (const starts of [1, 2]) {
      expect((await look(file)).missed).toHaveLength(1);
      expect(readFileSync(join(directory, 'sick-starts'), 'utf8')).toBe('start\n'.repeat(starts));
    }
  });
});
