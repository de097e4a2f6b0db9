import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leadsSomewhere, realPath } from '../../../../../src/content-search/io/tree/real-path.ts';
import { temporaryDirectory } from '../../../../support/content/rig.ts';

let root: string;
beforeAll(() => {
  root = temporaryDirectory('real-path');
  mkdirSync(path.join(root, 'there'));
  symlinkSync(path.join(root, 'there'), path.join(root, 'link'));
  symlinkSync(path.join(root, 'gone'), path.join(root, 'dangling'));
});
afterAll(() => rmSync(root, { recursive: true }));

describe('where a path leads', () => {
  it.each([
    ['link', 'there', true],
    ['link/away/deeper', 'there/away/deeper', false],
    ['link/away/', 'there/away', false],
    ['dangling', 'dangling', false],
    ['dangling/x', 'dangling/x', false],
    ['.', '.', true],
  ])('is told without links as far as it can be followed: %s', (from, to, isThere) => {
    expect(realPath(`${root}/${from}`)).toBe(path.join(root, to));
    expect(leadsSomewhere(`${root}/${from}`)).toBe(isThere);
  });
});
