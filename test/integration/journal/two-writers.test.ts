import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openJournalReader } from '../../../src/adapters/sqlite/journal/journal-reader.ts';
import { startChild, temporaryDirectory } from './fixture.ts';

interface Report {
  readonly dataId: string;
  readonly contested: number;
  readonly vault: number;
}

describe('two processes on one journal', () => {
  it('create it once, lose nothing, and never both win', async () => {
    const directory = temporaryDirectory();
    const file = path.join(directory.path, 'journal.db');
    const outputs = await Promise.all(['a', 'b'].map((name) => startChild('./two-writers-child.ts', [file, name]).output));
    const [a, b] = outputs.map((output) => JSON.parse(output) as Report);
    expect(a?.dataId).toBe(b?.dataId);
    expect((a?.contested ?? 0) + (b?.contested ?? 0)).toBe(150);
    expect((a?.vault ?? 0) + (b?.vault ?? 0)).toBe(25);
    const reader = openJournalReader(file);
    expect(reader.counts()).toEqual({ open: 175, success: 300, failure: 0, incidents: 0 });
    expect(reader.vaultUsage()).toEqual([{ base: 'data', bytes: 250, files: 25 }]);
    reader.close();
    directory.remove();
  });
});
