import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExclusively } from '../../../../src/adapters/files/create-exclusively.ts';

let directory: string;
const at = (name: string) => path.join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'writ-create-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('a file that is created exclusively', () => {
  it('is there whole, for its owner alone, and nothing else is left', () => {
    expect(createExclusively(at('key'), 'secret\n')).toBe(true);
    expect(readFileSync(at('key'), 'utf8')).toBe('secret\n');
    expect(statSync(at('key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['key']);
  });

  it('never takes the name of what is there already', () => {
    writeFileSync(at('file'), 'old');
    mkdirSync(at('directory'));
    symlinkSync(at('nowhere'), at('link'));
    for (const name of ['file', 'directory', 'link']) expect(createExclusively(at(name), 'new')).toBe(false);
    expect(readFileSync(at('file'), 'utf8')).toBe('old');
    expect(readdirSync(directory).sort()).toEqual(['directory', 'file', 'link']);
  });

  it('fails where there is no directory', () => {
    expect(() => createExclusively(at('absent/file'), 'new')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
