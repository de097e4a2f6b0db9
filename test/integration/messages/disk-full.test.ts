import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inMountNamespace } from '../../support/mounts.ts';

describe('messages on a full disk', () => {
  it('are refused by a code, in whole batches, and taken again when there is room', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-full-mail-'));
    const report = (await inMountNamespace(new URL('./disk-full-scenario.ts', import.meta.url), [directory])) as Record<string, unknown>;
    const { stood = 0 } = report as { stood?: number };
    expect(report).toEqual({
      stood,
      code: 'STORAGE_UNAVAILABLE',
      // Ten messages of each batch that stood, nothing of the one that did not.
      whileFull: Array.from({ length: 3 }, () => stood * 10),
      again: 10,
      afterRoom: Array.from({ length: 3 }, () => stood * 10 + 10),
      sound: 'ok',
    });
    rmSync(directory, { recursive: true });
  });
});
