import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildSite, doJob } from '../../../../support/content/building.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-measure-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a measurement', () => {
  it('stops at the first file that is too much', { tags: ['FR-LSI-BG-05.1', 'FR-LSI-BG-05.2'] }, () => {
    for (let at = 0; at < 10; at += 1) writeFileSync(join(root, `${at}`), 'ten bytes.');
    const measure = (files: number, bytes: number) => doJob(buildSite(root), { kind: 'measure', files, bytes });
    expect(measure(10, 100)).toEqual({ outcome: 'measured', above: false, files: 10, bytes: 100 });
    expect(measure(4, 100)).toEqual({ outcome: 'measured', above: true, files: 5, bytes: 50 });
    expect(measure(10, 29)).toEqual({ outcome: 'measured', above: true, files: 3, bytes: 30 });
  });
});
