import { isAscii } from 'node:buffer';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { loadBundle } from '../../../../src/adapters/processes/bundle.ts';

interface Exports {
  readonly word: string;
}

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-bundle-'));
  file = path.join(directory, 'a.cjs');
  bundle('first');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A bundle that exports a word, of the same length for every word of five letters. */
function bundle(word: string): void {
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname) { const told = () => ${JSON.stringify(word)}; exports.word = told(); })`);
}
const load = (): { word: string | undefined; isCompiled: boolean | undefined } => {
  const loaded = loadBundle<Exports>(file);
  return { word: loaded?.exports.word, isCompiled: loaded?.isCompiled };
};
const cacheFile = (): string => path.join(directory, readdirSync(directory).find((name) => name.endsWith('.cache')) ?? 'none');

describe('a bundle', () => {
  it('is compiled once, for all processes after the first', () => {
    expect(load()).toEqual({ word: 'first', isCompiled: false });
    expect(loadBundle(file)?.keep()).toBe(true);
    expect(load()).toEqual({ word: 'first', isCompiled: true });
    expect(readdirSync(directory)).toHaveLength(2);
  });

  it('imports what lies beside it and what Node has, also when it was compiled before', async () => {
    writeFileSync(path.join(directory, 'beside.mjs'), 'export const word = "beside";');
    writeFileSync(
      file,
      `(function (exports, require, module, __filename, __dirname, importOutside) {
        exports.words = async () => [(await importOutside('./beside.mjs')).word, typeof (await importOutside('node:timers/promises')).setTimeout];
      })`,
    );
    for (const isCompiled of [false, true]) {
      const loaded = loadBundle<{ readonly words: () => Promise<readonly string[]> }>(file);
      expect([loaded?.isCompiled, await loaded?.exports.words()]).toEqual([isCompiled, ['beside', 'function']]);
      loaded?.keep();
    }
  });

  it.each(['whole.cjs', 'roles.cjs'])('that is built, %s, has nothing but ASCII: each of its bytes is taken for a letter', (name) => {
    const bytes = readFileSync(path.join(packageRoot(), 'dist/src/bin', name));
    expect(isAscii(bytes)).toBe(true);
    // The sentence of a search whose words were cut, by which its failure has a reason.
    expect(bytes.includes(String.raw`\u2026?|the root) in the directory`)).toBe(true);
  });

  it('that has changed is compiled anew, though it is as long as before', () => {
    loadBundle(file)?.keep();
    bundle('other');
    expect(load()).toEqual({ word: 'other', isCompiled: false });
  });

  it.each<[string, (cache: string) => void]>([
    ['is damaged', (cache) => writeFileSync(cache, flipped(readFileSync(cache)))],
    ['is cut', (cache) => writeFileSync(cache, readFileSync(cache).subarray(0, -1))],
    ['is empty', (cache) => writeFileSync(cache, '')],
    ['others may write', (cache) => chmodSync(cache, 0o666)],
    ['a group may write', (cache) => chmodSync(cache, 0o664)],
    [
      'is a link',
      (cache) => {
        writeFileSync(`${cache}.real`, readFileSync(cache));
        rmSync(cache);
        symlinkSync(`${cache}.real`, cache);
      },
    ],
  ])('does not believe what was compiled when that file %s', (_, spoil) => {
    loadBundle(file)?.keep();
    spoil(cacheFile());
    expect(load()).toEqual({ word: 'first', isCompiled: false });
  });

  it('keeps nothing in a directory that others can write', () => {
    chmodSync(directory, 0o777);
    expect(loadBundle(file)?.keep()).toBe(false);
    expect(readdirSync(directory)).toEqual(['a.cjs']);
  });

  it('that is not there is none', () => {
    rmSync(file);
    expect(load()).toEqual({ word: undefined, isCompiled: undefined });
  });
});

function flipped(bytes: Buffer): Buffer {
  const at = bytes.length - 20;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}
