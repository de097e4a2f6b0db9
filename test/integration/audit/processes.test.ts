import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuditReader, verifyAuditFile } from '../../../src/data-dir/audit-reader.ts';
import { startChild } from '../journal/fixture.ts';
import { freshLog, type Log } from './fixture.ts';

const CHILD = fileURLToPath(new URL('./append-child.ts', import.meta.url));
const FULL_CHILD = fileURLToPath(new URL('./disk-full-child.ts', import.meta.url));

let at: Log;
beforeEach(() => {
  at = freshLog();
});
afterEach(() => at.remove());

/** number → subject, as the children were told. */
const told = (output: string): [number, string][] =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))
    .map(([n, subject]) => [Number(n), subject ?? '']);

describe('several processes that write one audit log', () => {
  it('lose no record, give no number twice, and keep the order of each', async () => {
    const children = ['a', 'b', 'c', 'd'].map((name, index) => startChild(CHILD, [at.file, name, '60', index < 2 ? '1' : '20']));
    const numbers = (await Promise.all(children.map(({ output }) => output))).flatMap(told);
    expect(await verifyAuditFile(at.file)).toMatchObject({ ok: true, records: 240 });
    const written = at.lines().map((line) => JSON.parse(line) as { n: number; subject: string });
    expect(new Map(numbers)).toEqual(new Map(written.map(({ n, subject }) => [n, subject])));
    for (const name of ['a', 'b', 'c', 'd']) {
      const own = written.filter(({ subject }) => subject.startsWith(name)).map(({ subject }) => Number(subject.slice(2)));
      expect(own).toEqual(Array.from({ length: 60 }, (_, index) => index));
    }
  });

  it('may be killed at any moment: what was confirmed stands, and the next action goes on', async () => {
    const confirmed = new Map<number, string>();
    for (let round = 0; round < 4; round += 1) {
      const children = ['a', 'b'].map((name) => {
        const child = startChild(CHILD, [at.file, `${name}${round}`, '100000', round % 2 === 0 ? '1' : '30', '2000'], {
          // After a few confirmations, in the middle of one of the next writes.
          onOutput: (sofar) => void (sofar.length > 200 + 137 * round && child.process.kill('SIGKILL')),
        });
        return child;
      });
      for (const { output } of children) for (const [n, subject] of told(await output)) confirmed.set(n, subject);
      await at.append(`after-${round}`);
      expect(await verifyAuditFile(at.file)).toMatchObject({ ok: true });
    }
    const written = new Map<number, string>();
    for await (const { n, subject } of createAuditReader(at.file).records()) written.set(n, subject);
    expect(await verifyAuditFile(at.file)).toMatchObject({ ok: true, records: written.size });
    expect((await verifyAuditFile(at.file)).files).toBeGreaterThan(4);
    expect(confirmed.size).toBeGreaterThan(20);
    for (const [n, subject] of confirmed) expect([n, written.get(n)]).toEqual([n, subject]);
  });
});

describe('an audit log on a full disk', () => {
  it('refuses what it cannot keep, leaves no half line, and goes on, and in a new file, when there is room', async () => {
    const wrapper = process.geteuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm'];
    const report = JSON.parse(await startChild(FULL_CHILD, [at.directory], { wrapper }).output) as Record<string, unknown> & { taken: number };
    expect(report).toMatchObject({
      codes: ['STORAGE_UNAVAILABLE'],
      // Once, and that it was closed behind the room.
      told: ['ENOSPC', 'over'],
      full: { ok: true, records: report.taken, files: 1 },
      after: report.taken + 2,
      end: { ok: true, records: report.taken + 2, files: 2 },
    });
  });
});
