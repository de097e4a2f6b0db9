import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { advance } from '../../../../../src/content-search/ngram-index/safety/writer.ts';
import { openContentIndexStore } from '../../../../../src/content-search/ngram-index/storage/sqlite-store.ts';
import { ABSENT, metaFor, T0 } from '../../../../conformance/content-index-samples.ts';
import { scriptArgs } from '../../../../support/compiled/script.ts';

it('leaves a record that fits its dirty queue when the writer is killed, and the next start trusts none of it', {
  tags: ['FR-LSI-IDX-CONC-03', 'FR-LSI-SAFE-04'],
}, async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-index-crash-'));
  const file = { directory, lockTimeoutMs: 1_000 };
  try {
    for (let kill = 0; kill < 3; kill += 1) {
      const created = openContentIndexStore(file);
      if (!created.ok) throw new Error(created.message);
      created.value.write((records) => records.create(metaFor('a'), ABSENT));
      created.value.close();
      const writer = spawn(process.execPath, scriptArgs(new URL('./advance-child.ts', import.meta.url), [directory]), { stdio: ['ignore', 'pipe', 'inherit'] });
      const gone = once(writer, 'exit');
      // It drives the record round and round from the first word on; where the signal meets it is chance.
      await once(writer.stdout, 'data');
      for (let seen = 0; seen < 10 * (kill + 1); ) seen = markOf(file);
      writer.kill('SIGKILL');
      expect((await gone)[1]).toBe('SIGKILL');
      const opened = openContentIndexStore(file);
      if (!opened.ok) throw new Error(opened.message);
      const found = opened.value.read((records) => ({ state: records.safety('a')?.state, dirty: records.dirtyCount('a') }));
      expect(found).toMatchObject({ ok: true });
      if (found.ok && found.value.state !== 'COMPLETE') expect(found.value.dirty).toBe(0);
      const started = advance(opened.value, 'a', [{ kind: 'PROCESS_STARTED', nowMs: T0 }], T0);
      expect(started).toMatchObject({ ok: true, value: { next: { state: 'ABSENT', building: null } } });
      opened.value.close();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

function markOf(file: { readonly directory: string; readonly lockTimeoutMs: number }): number {
  const opened = openContentIndexStore(file);
  if (!opened.ok) throw new Error(opened.message);
  const mark = opened.value.read((records) => records.safety('a')?.mark ?? 0);
  opened.value.close();
  return mark.ok ? mark.value : 0;
}
