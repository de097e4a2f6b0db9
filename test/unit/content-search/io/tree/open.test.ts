import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeSearchFiles } from '../../../../../src/content-search/io/tree/open.ts';
import { temporaryDirectory } from '../../../../support/content/rig.ts';

let root: string;
beforeAll(() => {
  root = temporaryDirectory('open');
});
afterAll(() => rmSync(root, { recursive: true }));

describe('a file that is read in pieces', () => {
  it('gives bytes from any place, as many as fit and as there are, and none once it is closed', () => {
    writeFileSync(path.join(root, 'f'), 'abcdef');
    const files = nodeSearchFiles();
    const fd = files.open(path.join(root, 'f'));
    if (typeof fd !== 'number') throw new Error(fd.refused);
    const reader = files.reader(fd);
    const read = (from: number): string => {
      const into = Buffer.alloc(4);
      return into.toString('latin1', 0, reader.read(into, from));
    };
    expect([read(0), read(3), read(6), read(1)]).toEqual(['abcd', 'def', '', 'bcde']);
    reader.close();
    expect(read(0)).toBe('');
  });
});
