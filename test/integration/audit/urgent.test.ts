import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { LATE_SLOTS } from '../../../src/data-dir/audit-late.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';
import { createAuditReader } from '../../../src/data-dir/audit-reader.ts';
import { inMountNamespace } from '../../support/mounts.ts';
import { asked, freshLog, type Log } from './fixture.ts';

let at: Log;
beforeEach(() => {
  at = freshLog();
});
afterEach(() => at.remove());

const done = (subject: string) => ({ ...asked(subject), action: 'key.revoke', outcome: 'done' }) as const;
const records = async () => {
  const found: [string, string, unknown][] = [];
  for await (const { action, subject, detail } of createAuditReader(at.file).records()) found.push([action, subject, detail?.['done_at'] !== undefined]);
  return found;
};

describe('a record that is kept for later', () => {
  it('stands before the next one, once, and says when it was', async () => {
    await at.append('a');
    const log = createAuditLog({ file: at.file, clock: { now: () => Date.parse('2026-11-21T00:00:00Z') } });
    await log.keepForLater({ ...done('k-1'), detail: { name: 'shop' } });
    await at.append('b', 'c');
    expect(await records()).toEqual([
      ['task.retry', 'a', false],
      ['key.revoke', 'k-1', true],
      ['task.retry', 'b', false],
      ['task.retry', 'c', false],
    ]);
    expect(JSON.parse(at.lines()[1] ?? '')).toMatchObject({
      n: 2,
      outcome: 'done',
      detail: { name: 'shop', done_at: '2026-11-21T00:00:00.000Z', late: expect.stringMatching(/^[0-9a-f]{16}$/) },
    });
    expect(await createAuditReader(at.file).verify()).toMatchObject({ ok: true, records: 4 });
  });

  it('waits for a damaged log, beside others, and stands first in the next one', async () => {
    await at.append('a', 'b');
    writeFileSync(at.file, '');
    await expect(at.append('c')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await Promise.all(Array.from({ length: LATE_SLOTS }, (_, n) => at.log.keepForLater(done(`k-${n}`))));
    await expect(at.log.keepForLater(done('one too many'))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('wait') });
    for (const file of [at.file, `${at.file}.head`, `${at.directory}/audit-begun`]) rmSync(file);
    await at.append('d');
    const found = await records();
    expect(found.map(([, subject]) => subject).sort()).toEqual([...Array.from({ length: LATE_SLOTS }, (_, n) => `k-${n}`), 'd'].sort());
    expect(found.at(-1)).toEqual(['task.retry', 'd', false]);
  });

  it('that was torn is none: nobody was told of it', async () => {
    await at.append('a');
    await at.log.keepForLater(done('k-1'));
    const late = readFileSync(`${at.file}.late`);
    late.fill(0x7b, 100, 200);
    writeFileSync(`${at.file}.late`, late);
    await at.append('b');
    expect((await records()).map(([, subject]) => subject)).toEqual(['a', 'b']);
    await at.log.keepForLater(done('k-2'));
    await at.append('c');
    expect((await records()).map(([, subject]) => subject)).toEqual(['a', 'b', 'k-2', 'c']);
  });

  it('is recorded twice, under the same name, when a crash comes between', async () => {
    await at.append('a');
    await at.log.keepForLater(done('k-1'));
    const late = readFileSync(`${at.file}.late`);
    await at.append('b');
    writeFileSync(`${at.file}.late`, late);
    await createAuditLog({ file: at.file, clock: systemClock }).append(asked('c'));
    const names = at.lines().flatMap((line) => (JSON.parse(line) as { detail?: { late?: string } }).detail?.late ?? []);
    expect([names.length, new Set(names).size]).toEqual([2, 1]);
  });
});

describe('`writ key revoke` on a full disk', () => {
  it('takes the key away, and its record follows when there is room', async () => {
    const report = await inMountNamespace(new URL('./revoke-full-child.ts', import.meta.url), [at.directory]);
    expect(report).toEqual({
      refused: 3,
      revoked: { code: 0, out: 'revoked shop\n', err: expect.stringContaining('its record follows') },
      gone: true,
      other: true,
      verified: 0,
      again: { code: 1, err: expect.stringContaining('NOT_FOUND') },
      trail: [
        ['key.create', 'shop', 'done', false],
        ['key.create', 'other', 'done', false],
        ['key.revoke', expect.stringMatching(/^[0-9a-f]{16}$/), 'done', true],
        ['key.create', 'third', 'done', false],
      ],
      verifiedAfter: 0,
      file: ['other', 'third'],
    });
  });
});
