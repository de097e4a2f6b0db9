import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { MAX_AHEAD } from '../../../src/data-dir/audit-end.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';
import { createAuditReader, verifyAuditFile } from '../../../src/data-dir/audit-reader.ts';
import { asked, freshLog, type Log } from './fixture.ts';

let at: Log;
beforeEach(() => {
  at = freshLog();
});
afterEach(() => at.remove());

const OLD = [1, 2, 3].map((n) => `${JSON.stringify({ at: '2026-01-01T00:00:00.000Z', what: 'vault.purge', base: 'main', name: `d-${n}` })}\n`).join('');
const verify = () => verifyAuditFile(at.file);
const refused = { code: 'STORAGE_UNAVAILABLE' };

describe('an audit log', () => {
  it('is 0600, numbered without gaps, and answers the record that it wrote', async () => {
    const record = await at.log.append({ ...asked('t-1'), detail: { regrant: true } });
    await at.append('t-2');
    expect(record).toMatchObject({ v: 1, n: 1, who: 'tester', prev: '0'.repeat(64), detail: { regrant: true } });
    expect(at.lines().map((line) => JSON.parse(line) as unknown)).toMatchObject([record, { n: 2, prev: record.hash }]);
    for (const file of [at.file, `${at.file}.head`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await verify()).toMatchObject({ ok: true, records: 2, unchained: 0 });
  });

  it('writes what waits together, in the order in which it was asked', async () => {
    const records = await Promise.all(Array.from({ length: 300 }, (_, n) => at.log.append(asked(`t-${n}`))));
    expect(records.map(({ n, subject }) => [n, subject])).toEqual(Array.from({ length: 300 }, (_, n) => [n + 1, `t-${n}`]));
    expect(await verify()).toMatchObject({ ok: true, records: 300 });
  });

  it('refuses an action that fits no line, without spoiling the others', async () => {
    const [good, bad] = await Promise.allSettled([at.log.append(asked('ok')), at.log.append(asked('x'.repeat(100_000)))]);
    expect([good, bad]).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'INVALID_ARGUMENT' } }]);
    expect(await verify()).toMatchObject({ ok: true, records: 1 });
  });

  it('refuses a file that it cannot write, or that is another by a symbolic link', async () => {
    mkdirSync(at.file);
    await expect(at.append('x')).rejects.toMatchObject(refused);
    rmSync(at.file, { recursive: true });
    symlinkSync('/dev/null', at.file);
    await expect(at.append('x')).rejects.toMatchObject(refused);
    await expect(createAuditLog({ file: `${at.directory}/none/audit`, clock: systemClock }).append(asked('x'))).rejects.toMatchObject(refused);
  });

  it('that does not exist is whole; one that is gone is not', async () => {
    expect(await verify()).toMatchObject({ ok: true, records: 0 });
    await at.append('a');
    rmSync(at.file);
    expect(await verify()).toMatchObject({ ok: false });
    await expect(at.append('b')).rejects.toMatchObject(refused);
  });

  it('starts anew when log and head are moved away together', async () => {
    await at.append('a', 'b');
    renameSync(at.file, `${at.file}.1`);
    renameSync(`${at.file}.head`, `${at.file}.1.head`);
    await at.append('c');
    expect(await verify()).toMatchObject({ ok: true, records: 1 });
    expect(await verifyAuditFile(`${at.file}.1`)).toMatchObject({ ok: true, records: 2 });
  });

  it('that was here once is no new one when log and head are gone', async () => {
    await at.append('a');
    for (const file of [at.file, `${at.file}.head`]) rmSync(file);
    expect(await verify()).toMatchObject({ ok: false, records: 0, brokenAt: { why: expect.stringContaining('audit-begun') } });
    await expect(at.append('b')).rejects.toMatchObject({ ...refused, message: expect.stringContaining('audit-begun') });
    expect(await verify()).toMatchObject({ ok: false, records: 0 });
    rmSync(`${at.directory}/audit-begun`);
    await at.append('c');
    expect(await verify()).toMatchObject({ ok: true, records: 1 });
  });

  it('lists its records and leaves out what is none', async () => {
    writeFileSync(at.file, OLD, { mode: 0o600 });
    await at.append('a', 'b');
    const subjects: string[] = [];
    for await (const { subject } of createAuditReader(at.file).records()) subjects.push(subject);
    expect(subjects).toEqual(['audit.ndjson', 'a', 'b']);
  });
});

describe('lines of an older version', () => {
  it('stay, are told apart, and are covered from the next action on', async () => {
    writeFileSync(at.file, OLD, { mode: 0o600 });
    expect(await verify()).toMatchObject({ ok: true, records: 0, unchained: 3 });
    await at.append('a');
    expect(await verify()).toMatchObject({ ok: true, records: 2, unchained: 3 });
    expect(at.lines().slice(0, 3).join('\n')).toBe(OLD.trimEnd());
    const text = readFileSync(at.file, 'utf8');
    writeFileSync(at.file, text.replace('d-2', 'd-9'));
    expect(await verify()).toMatchObject({ ok: false, brokenAt: { line: 4 } });
  });

  it('do not hide that a chain was replaced by them', async () => {
    await at.append('a', 'b');
    writeFileSync(at.file, OLD);
    expect(await verify()).toMatchObject({ ok: false });
    await expect(at.append('c')).rejects.toMatchObject(refused);
    rmSync(`${at.file}.head`);
    writeFileSync(at.file, `not JSON\n${OLD}`);
    await expect(at.append('c')).rejects.toMatchObject(refused);
  });
});

/** Where the value of a member of the head begins. */
const headByte = (head: Buffer, member: string): number => head.indexOf(member) + member.length;

describe('a damaged audit log', () => {
  it('is found out whatever byte of log or head is changed, cut off or added', async () => {
    await at.append('a', 'b', 'c');
    const good = { log: readFileSync(at.file), head: readFileSync(`${at.file}.head`) };
    const place = fc.record({
      inHead: fc.boolean(),
      where: fc.nat(),
      how: fc.constantFrom('change', 'remove', 'add', 'cut'),
      by: fc.integer({ min: 1, max: 255 }),
    });
    const change = ({ inHead, where, how, by }: typeof place extends fc.Arbitrary<infer T> ? T : never): void => {
      const bytes = inHead ? good.head : good.log;
      const i = where % bytes.length;
      const changed = {
        change: () => Buffer.concat([bytes.subarray(0, i), Buffer.from([(bytes[i] as number) ^ by]), bytes.subarray(i + 1)]),
        remove: () => Buffer.concat([bytes.subarray(0, i), bytes.subarray(i + 1)]),
        add: () => Buffer.concat([bytes.subarray(0, i), Buffer.from([by]), bytes.subarray(i)]),
        cut: () => bytes.subarray(0, i),
      }[how]();
      writeFileSync(at.file, inHead ? good.log : changed);
      writeFileSync(`${at.file}.head`, inHead ? changed : good.head);
    };
    await fc.assert(
      fc.asyncProperty(place, async (where) => {
        change(where);
        // A byte doubled beside itself changes nothing.
        const same = readFileSync(at.file).equals(good.log) && readFileSync(`${at.file}.head`).equals(good.head);
        expect((await verify()).ok).toBe(same);
      }),
      // The number of the head became 0, and its hash stayed: once it was taken for a log that had just begun.
      { numRuns: 250, examples: [[{ inHead: true, where: headByte(good.head, '"n":'), how: 'change', by: 3 }]] },
    );
  });

  it('takes no further record while its end is missing, changed or without a head', async () => {
    await at.append('a', 'b', 'c');
    const good = readFileSync(at.file, 'utf8');
    const [first = '', second = '', third = ''] = at.lines();
    for (const text of [
      `${first}\n${second}\n`,
      `${first}\n`,
      '',
      good.slice(0, -1),
      `${first}\n${second}\n${third.replace('"c"', '"d"')}\n`,
      `${good}${first}\n`,
      `${good}x\n`,
    ]) {
      writeFileSync(at.file, text);
      await expect(at.append('d'), JSON.stringify(text)).rejects.toMatchObject({ ...refused, message: expect.stringContaining('writ audit verify') });
      expect(await verify()).toMatchObject({ ok: false });
      expect(readFileSync(at.file, 'utf8')).toBe(text);
    }
    writeFileSync(at.file, good);
    rmSync(`${at.file}.head`);
    expect(await verify()).toMatchObject({ ok: false, brokenAt: { why: expect.stringContaining('.head') } });
    await expect(at.append('d')).rejects.toMatchObject(refused);
    writeFileSync(`${at.file}.head`, '{"n":3}');
    await expect(at.append('d')).rejects.toMatchObject(refused);
  });

  it('does not take a chain that was written anew behind its head', async () => {
    await at.append('a', 'b');
    const head = readFileSync(`${at.file}.head`);
    for (const file of [at.file, `${at.file}.head`, `${at.directory}/audit-begun`]) rmSync(file);
    await at.append('a', 'x', 'c');
    writeFileSync(`${at.file}.head`, head);
    expect(await verify()).toMatchObject({ ok: false, brokenAt: { why: expect.stringContaining('record 2') } });
    await expect(at.append('d')).rejects.toMatchObject(refused);
  });
});

describe('after a crash', () => {
  it('a head that is one write behind is caught up', async () => {
    await at.append('a', 'b');
    const head = readFileSync(`${at.file}.head`);
    await at.append('c');
    writeFileSync(`${at.file}.head`, head);
    expect(await verify()).toMatchObject({ ok: true, records: 3 });
    await at.append('d');
    expect(await verify()).toMatchObject({ ok: true, records: 4 });
  });

  it('a head is behind by the records of one write, and by no more', async () => {
    await at.append('a');
    const head = readFileSync(`${at.file}.head`);
    const behind = async (records: number): Promise<void> => {
      await Promise.all(Array.from({ length: records }, (_, n) => at.log.append(asked(`t-${n}`))));
      writeFileSync(`${at.file}.head`, head);
    };
    await behind(MAX_AHEAD);
    expect(await verify()).toMatchObject({ ok: true, records: 1 + MAX_AHEAD });
    await at.append('next');
    writeFileSync(`${at.file}.head`, head);
    const why = `record 1 is the last that was noted: no crash leaves that`;
    expect(await verify()).toMatchObject({ ok: false, brokenAt: { why: expect.stringContaining(why) } });
    await expect(at.append('b')).rejects.toMatchObject({ ...refused, message: expect.stringContaining('the last that was noted: no crash leaves that') });
    // One that says that the log has just begun is no better.
    writeFileSync(`${at.file}.head`, `${JSON.stringify({ hash: '0'.repeat(64), n: 0, v: 1 })}\n`);
    expect(await verify()).toMatchObject({ ok: false });
    await expect(at.append('c')).rejects.toMatchObject(refused);
  });

  it('a torn line is set aside, kept and told of, never dropped', async () => {
    await at.append('a', 'b');
    const torn = '{"action":"task.retry","at":"2026';
    writeFileSync(at.file, torn, { flag: 'a' });
    expect(await verify()).toMatchObject({ ok: false, records: 2, brokenAt: { line: 3, why: expect.stringContaining('cut off') } });
    await at.append('c');
    expect(await verify()).toMatchObject({ ok: true, records: 4 });
    expect(at.lines().map((line) => (JSON.parse(line) as { action: string }).action)).toEqual(['task.retry', 'task.retry', 'audit.repaired', 'task.retry']);
    expect(JSON.parse(at.lines()[2] ?? '')).toMatchObject({ detail: { bytes: torn.length } });
    const aside = JSON.parse(readFileSync(`${at.file}.torn`, 'utf8')) as { base64: string };
    expect(Buffer.from(aside.base64, 'base64').toString()).toBe(torn);
    expect(statSync(`${at.file}.torn`).mode & 0o777).toBe(0o600);
  });

  it('the very first line may be torn, and zeros may stand where data was lost', async () => {
    await at.append('a');
    truncateSync(at.file, 0);
    writeFileSync(`${at.file}.head`, readFileSync(`${at.file}.head`, 'utf8').replace(/"hash":"[^"]*","n":1/, `"hash":"${'0'.repeat(64)}","n":0`));
    writeFileSync(at.file, Buffer.alloc(300));
    await at.append('b');
    expect(await verify()).toMatchObject({ ok: true, records: 2 });
    expect(existsSync(`${at.file}.torn`)).toBe(true);
  });
});

describe('reading', () => {
  it('says when the log cannot be read', async () => {
    mkdirSync(at.file);
    await expect(verify()).rejects.toMatchObject(refused);
  });

  it('takes a line of any length without holding it', async () => {
    await at.append('a');
    writeFileSync(at.file, Buffer.alloc(8 * 1024 * 1024, 'x'), { flag: 'a' });
    expect(await verify()).toMatchObject({ ok: false, records: 1, brokenAt: { line: 2 } });
  });
});
