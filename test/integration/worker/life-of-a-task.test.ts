import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ logLevel: process.env['RIG_LOG'] ?? 'silent' });
  await rig.startWorker();
}, 60_000);
afterAll(() => rig.stop());

describe('a leased task, from the queue to its signed result', () => {
  it('moves a file', async () => {
    const [source, destination] = [join(rig.base, 'a.txt'), join(rig.base, 'b.txt')];
    writeFileSync(source, 'hello');
    const manifest = manifestOf('FILE_MOVE', source, destination);
    expect(await rig.push(manifest)).toMatchObject({ kind: 'accepted' });
    expect(await rig.answer(manifest.task_id)).toMatchObject({
      status: 'SUCCESS',
      output: {
        task_id: manifest.task_id,
        capability_id: 'FILE_MOVE',
        result_summary: { source, destination, bytes: 5 },
        undo_metadata: { original_path: source },
      },
    });
    expect(existsSync(source)).toBe(false);
    expect(readFileSync(destination, 'utf8')).toBe('hello');
  });
});
