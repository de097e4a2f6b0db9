import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inMountNamespace } from '../../support/mounts.ts';

describe.each(['openat2', 'walk'])('mounts below a base at level %s', (level) => {
  let root: string;
  let answers: Record<string, string | number>;

  beforeAll(async () => {
    root = mkdtempSync(path.join(tmpdir(), 'writ-mounts-'));
    answers = (await inMountNamespace(new URL('./mount-scenario.ts', import.meta.url), [level, root])) as Record<string, string | number>;
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it.each(['bind mount', 'below a bind mount', 'bind mount of a directory of the same base', 'tmpfs', 'bind mount in depth'])(
    'refuses to open a directory: %s',
    { tags: ['FE-12'] },
    (question) => expect(answers[question]).toBe('mount'),
  );

  it.each(['entry of a mounted directory', 'entry of a mounted file', 'open a mounted file', 'rename a mounted file', 'unlink a mounted file'])(
    'refuses a name that something is mounted on: %s',
    { tags: ['FE-12'] },
    (question) => expect(answers[question]).toBe('mount'),
  );

  it('does not link or replace what is mounted', { tags: ['FE-26'] }, () => {
    expect(answers['link a mounted file']).toBe('cross-device');
    expect(answers['rename onto a mounted file']).toBe('exists');
    expect(answers['create over a mounted file']).toBe('exists');
    expect(answers['a mounted file that may leave']).toBe('mount');
  });

  it('leaves what is behind the mounts as it was', { tags: ['FE-12'] }, () => {
    expect(answers['secret']).toBe('secret');
    expect(answers['outside']).toBe('secret,x');
  });

  it('answers no-space on a full file system, for a copy before its first byte', { tags: ['FE-44'] }, () => {
    expect(answers['free bytes of 64 KiB']).toBeLessThanOrEqual(65_536);
    expect(answers['copy that does not fit']).toBe('no-space');
    expect(answers['bytes of the copy that did not fit']).toBe(0);
    expect(answers['write that does not fit']).toBe('no-space');
  });

  it('answers read-only on a read-only mount', () => {
    expect(answers['create on a read-only mount']).toBe('read-only');
    expect(answers['a file that may leave a read-only mount']).toBe('read-only');
  });
});
