import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asUnprivileged, inMountNamespace } from '../../support/mounts.ts';

describe('a search of file names', () => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(path.join(tmpdir(), 'writ-search-boundaries-'));
    chmodSync(base, 0o755);
  });
  afterEach(() => rmSync(base, { recursive: true }));

  it('stays on the file system of its root: a mount point below it is not entered, of whatever it is', { tags: ['SE-38'] }, async () => {
    const inside = ['e', 'real/deep/e', 'real/e'];
    expect(await inMountNamespace(new URL('./mount-scenario.ts', import.meta.url), [base])).toEqual({ openat2: inside, walk: inside });
  });

  it('reads nothing that the system keeps from this account, and says so instead of leaving it out', { tags: ['SE-12', 'SE-67', 'SE-68'] }, async () => {
    for (const name of ['good/sub', 'bad/sub/closed', 'closed', 'unsearchable/sub']) mkdirSync(path.join(base, name), { recursive: true });
    for (const name of ['good/e', 'good/sub/e', 'bad/sub/closed/e', 'bad/e', 'closed/e']) writeFileSync(path.join(base, name), '');
    chmodSync(path.join(base, 'good/e'), 0);
    chmodSync(path.join(base, 'bad/sub/closed'), 0o311);
    chmodSync(path.join(base, 'closed'), 0);
    chmodSync(path.join(base, 'unsearchable'), 0o444);
    const roots = ['good', 'bad', 'closed', 'unsearchable'].map((name) => path.join(base, name));
    const failed = (name: string) => [
      'EXECUTION_FAILED',
      `${JSON.stringify(name)} in the directory of this scope cannot be read: this account may not read it`,
    ];
    const unavailable = ['SCOPE_UNAVAILABLE', 'the directory of this scope cannot be searched: this account may not read it'];
    const expected = [['e', 'sub/e'], failed('sub/closed'), unavailable, failed('sub')].flatMap((answer) => [answer, answer]);
    expect(await asUnprivileged(new URL('./unprivileged-scenario.ts', import.meta.url), roots)).toEqual(expected);
  });
});
