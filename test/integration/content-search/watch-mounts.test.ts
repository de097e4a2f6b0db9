import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { inMountNamespace } from '../../support/mounts.ts';

describe('the watch over a tree with mounts', () => {
  let answers: Record<string, unknown>;
  beforeAll(async () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'writ-watch-mounts-'));
    answers = (await inMountNamespace(new URL('./watch-mount-scenario.ts', import.meta.url), [outside])) as Record<string, unknown>;
    rmSync(outside, { recursive: true, force: true });
  });

  it.each([
    ['nothing', null],
    ['a mount elsewhere', null],
    ['a mount beneath the root', 'MOUNT'],
    ['armed over a mount', null],
    ['told for both paths', ['bound/a', 'real/a']],
    ['a mount that went', 'MOUNT'],
    ['a file system that does not tell everything', { ok: false, refused: 'REMOTE' }],
  ])('says of %s: %j', (question, answer) => expect(answers[question]).toEqual(answer));

  it('allows nothing under a mount over the root', () => expect(['MOUNT', 'WATCHER_DOWN']).toContain(answers['a mount over the root']));
});
