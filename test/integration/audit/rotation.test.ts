import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OperatorRecord } from '../../../src/core/ports/index.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';
import { createAuditReader, verifyAuditFile } from '../../../src/data-dir/audit-reader.ts';
import { ROTATION_POINTS, type RotationPoint } from '../../../src/data-dir/audit-rotate.ts';
import { asked, freshLog, type Log } from './fixture.ts';

const NOW = Date.parse('2026-11-23T00:00:00Z');
const refused = { code: 'STORAGE_UNAVAILABLE' };

let at: Log;
beforeEach(() => {
  at = freshLog();
});
afterEach(() => {
  at.remove();
  rmSync(killed(), { recursive: true, force: true });
});

const verify = (after?: { n: number; hash: string }) => verifyAuditFile(at.file, after);
const closed = () => readdirSync(at.directory).filter((name) => /\.\d{12}$/.test(name));
const killed = () => `${at.directory}-killed`;
const inPlace = (name: string) => path.join(at.directory, name);

/** A log that is closed after two records: those of two actions, or its opening and an action. */
function logOf({ maxBytes = 500, maxAgeMs = 0, now = () => NOW, onPoint = (_point: RotationPoint): void => undefined, file = at.file } = {}) {
  return createAuditLog({ file, clock: { now }, rotation: { maxBytes, maxAgeMs }, onPoint });
}

async function rotatedLog(actions: number): Promise<readonly string[]> {
  const log = logOf();
  for (let n = 1; n <= actions; n += 1) await log.append(asked(`t-${n}`));
  return closed();
}

async function recordsOf(file: string): Promise<readonly OperatorRecord[]> {
  const records: OperatorRecord[] = [];
  for await (const record of createAuditReader(file).records()) records.push(record);
  return records;
}

/** What a kill leaves now: the same files, with the names that they share. */
function copyOf(directory: string, to: string): void {
  mkdirSync(to);
  const seen = new Map<number, string>();
  for (const name of readdirSync(directory)) {
    const { ino, size } = statSync(path.join(directory, name));
    const first = seen.get(ino);
    if (first === undefined) copyFileSync(path.join(directory, name), path.join(to, name));
    else linkSync(first, path.join(to, name));
    if (size > 0) seen.set(ino, path.join(to, name));
  }
}

describe('an audit log that is closed at a size', () => {
  it('goes on in a new file, which names the one before and carries its head', async () => {
    const [first = '', ...more] = await rotatedLog(7);
    expect([first, more.length]).toEqual(['audit.ndjson.000000000002', 4]);
    const opening = JSON.parse(readFileSync(inPlace(more[0] ?? ''), 'utf8').split('\n')[0] ?? '') as Record<string, unknown>;
    const last = JSON.parse(readFileSync(inPlace(first), 'utf8').trimEnd().split('\n').at(-1) ?? '') as { hash: string };
    expect(opening).toMatchObject({
      n: 3,
      who: 'writ',
      action: 'audit.continued',
      subject: first,
      prev: last.hash,
      detail: { last: 2, bytes: statSync(inPlace(first)).size },
    });
    expect(statSync(at.file).mode & 0o777).toBe(0o600);
    expect(await verify()).toMatchObject({ ok: true, records: 7 + closed().length, files: closed().length + 1 });
    const subjects = (await recordsOf(at.file)).filter(({ who }) => who !== 'writ').map(({ subject }) => subject);
    expect(subjects).toEqual(['t-1', 't-2', 't-3', 't-4', 't-5', 't-6', 't-7']);
  });

  it('loses no record of those that write at once, and waits for no reader', async () => {
    const logs = [logOf({ maxBytes: 2000 }), logOf({ maxBytes: 2000 }), logOf({ maxBytes: 2000 })];
    const reading = verify();
    const records = await Promise.all(logs.flatMap((log, who) => Array.from({ length: 60 }, (_, n) => log.append(asked(`${who}-${n}`)))));
    expect(await reading).toMatchObject({ ok: true });
    expect(new Set(records.map(({ n }) => n)).size).toBe(180);
    expect(closed().length).toBeGreaterThan(0);
    expect(await verify()).toMatchObject({ ok: true, records: 180 + closed().length });
  });
});

it('is closed at an age, which its first record tells, but never with one record', async () => {
  let now = NOW;
  const log = logOf({ maxBytes: 0, maxAgeMs: 1000, now: () => now });
  await log.append(asked('a'));
  now += 5000;
  await log.append(asked('b'));
  expect(closed()).toEqual([]);
  await log.append(asked('c'));
  expect(closed()).toEqual(['audit.ndjson.000000000002']);
  now += 999;
  await log.append(asked('d'));
  expect(closed()).toHaveLength(1);
  expect(await verify()).toMatchObject({ ok: true, records: 5 });
});

it.each(ROTATION_POINTS)('survives a kill after the step %s', async (point) => {
  const copy = killed();
  const log = logOf({ onPoint: (reached) => void (reached === point && copyOf(at.directory, copy)) });
  for (const subject of ['a', 'b', 'c']) await log.append(asked(subject));
  const file = path.join(copy, 'audit.ndjson');
  const left = { opened: 2, named: 2, swapped: 3, noted: 3 }[point];
  expect(await verifyAuditFile(file)).toMatchObject({ ok: true, records: left });
  const subjects = async () => (await recordsOf(file)).filter(({ who }) => who !== 'writ').map(({ subject }) => subject);
  expect(await subjects()).toEqual(['a', 'b']);
  await logOf({ file }).append(asked('next'));
  expect(await subjects()).toEqual(['a', 'b', 'next']);
  expect(await verifyAuditFile(file)).toMatchObject({ ok: true, records: 4, files: 2 });
  expect(readdirSync(copy).filter((name) => name.endsWith('.next'))).toEqual([]);
});

it('catches up with a head that a crash had left behind, before it is closed', async () => {
  await at.append('a');
  const head = readFileSync(`${at.file}.head`);
  await Promise.all(['b', 'c'].map((subject) => at.log.append(asked(subject))));
  writeFileSync(`${at.file}.head`, head);
  const log = logOf({ onPoint: (reached) => void (reached === 'swapped' && copyOf(at.directory, killed())) });
  await log.append(asked('d'));
  const file = path.join(killed(), 'audit.ndjson');
  expect(await verifyAuditFile(file)).toMatchObject({ ok: true, records: 4 });
  await logOf({ file }).append(asked('next'));
  expect(await verifyAuditFile(file)).toMatchObject({ ok: true, records: 5 });
  expect(await verify()).toMatchObject({ ok: true, records: 5 });
});

it('that has two names after a kill takes the second away also where nothing rotates any more', async () => {
  await at.append('a', 'b');
  linkSync(at.file, `${at.file}.000000000002`);
  expect(await verify()).toMatchObject({ ok: true, records: 2, files: 1 });
  await at.append('c');
  expect(closed()).toEqual([]);
  expect(await verify()).toMatchObject({ ok: true, records: 3 });
});

it('grows on where it cannot be closed, and leaves a file alone that has the name already', async () => {
  await at.append('a', 'b');
  writeFileSync(`${at.file}.000000000002`, 'of somebody');
  await logOf().append(asked('c'));
  expect(readFileSync(`${at.file}.000000000002`, 'utf8')).toBe('of somebody');
  expect(at.lines()).toHaveLength(3);
  rmSync(`${at.file}.000000000002`);
  expect(await verify()).toMatchObject({ ok: true, records: 3, files: 1 });
});

it('tells once why it cannot be closed, and when that is over', async () => {
  await at.append('a', 'b');
  const told: unknown[] = [];
  const rotation = { maxBytes: 500, maxAgeMs: 0 };
  const log = createAuditLog({ file: at.file, clock: { now: () => NOW }, rotation, onRotation: (error) => told.push(error) });
  const block = (n: number) => writeFileSync(`${at.file}.${String(n).padStart(12, '0')}`, 'of somebody');
  for (const n of [2, 3, 6]) block(n);
  for (const [subject, times] of Object.entries({ c: 1, d: 1, e: 2, f: 3 })) {
    await log.append(asked(subject));
    expect([subject, told.length]).toEqual([subject, times]);
  }
  expect(told).toMatchObject([{ code: 'EEXIST' }, undefined, { code: 'EEXIST' }]);
});

describe('files of an audit log', () => {
  const why = async (after?: { n: number; hash: string }) => (await verify(after)).brokenAt;
  const [A, B, C] = ['audit.ndjson.000000000002', 'audit.ndjson.000000000004', 'audit.ndjson.000000000006'] as const;
  beforeEach(async () => {
    expect((await rotatedLog(5)).slice(0, 3)).toEqual([A, B, C]);
  });

  it.each([
    ['the first', A, B],
    ['one in the middle', B, C],
    ['the last closed one', C, 'audit.ndjson'],
  ])('are missed by name: %s', async (_which, name, next) => {
    rmSync(inPlace(name));
    expect(await why()).toMatchObject({ file: next, line: 1, why: expect.stringContaining(`${name} is missing`) });
  });

  it('are not taken for whole where the record that is said to be good lies behind their end', async () => {
    const { records, head } = await verify();
    expect(await verify({ n: records + 25, hash: head })).toMatchObject({
      ok: false,
      records,
      brokenAt: { file: 'audit.ndjson', why: expect.stringContaining(`is the last one with record ${records}: record ${records + 25}`) },
    });
    expect((await verify({ n: records, hash: head })).ok).toBe(true);
  });

  it('are told when they were swapped, renamed or doubled', async () => {
    const swap = (one: string, other: string): void => {
      renameSync(inPlace(one), inPlace('aside'));
      renameSync(inPlace(other), inPlace(one));
      renameSync(inPlace('aside'), inPlace(other));
    };
    swap(A, B);
    expect(await why()).toMatchObject({ file: A, line: 1, why: expect.stringContaining('it is another file') });
    swap(A, B);
    copyFileSync(inPlace(A), inPlace('audit.ndjson.000000000003'));
    expect(await why()).toMatchObject({ file: 'audit.ndjson.000000000003', why: expect.stringContaining('in a file before') });
    renameSync(inPlace('audit.ndjson.000000000003'), inPlace('aside'));
    renameSync(inPlace(C), inPlace('audit.ndjson.000000000009'));
    expect(await why()).toMatchObject({ file: 'audit.ndjson.000000000009', why: expect.stringContaining('its end was cut off') });
  });

  it('are told when they were cut, at the end of a line or in it, or changed', async () => {
    const good = readFileSync(inPlace(B));
    const lines = good.toString().split('\n').slice(0, -1);
    writeFileSync(inPlace(B), `${lines.slice(0, -1).join('\n')}\n`);
    expect(await why()).toMatchObject({ file: B, line: lines.length - 1, why: expect.stringContaining('its end was cut off') });
    writeFileSync(inPlace(B), good.subarray(0, -9));
    expect(await why()).toMatchObject({ file: B, line: lines.length, why: expect.stringContaining('is cut off') });
    truncateSync(inPlace(B), 0);
    expect(await why()).toMatchObject({ file: B, line: 0 });
    writeFileSync(inPlace(B), good.toString().replace('t-3', 't-9'));
    expect(await why()).toMatchObject({ file: B, why: expect.stringContaining('hash') });
  });

  it('keep nothing back: a log that is gone, or its head, or a head that is too old, is found as before', async () => {
    const log = readFileSync(at.file);
    rmSync(at.file);
    expect(await why()).toMatchObject({ why: expect.stringContaining('the end was cut off') });
    await expect(at.append('x')).rejects.toMatchObject(refused);
    rmSync(at.file);
    rmSync(`${at.file}.head`);
    expect(await verify()).toMatchObject({ ok: false });
    await expect(at.append('x')).rejects.toMatchObject({ ...refused, message: expect.stringContaining('closed files') });
    writeFileSync(at.file, log);
    expect(await why()).toMatchObject({ why: expect.stringContaining('.head') });
    const hash = (JSON.parse(readFileSync(inPlace(A), 'utf8').split('\n')[1] ?? '') as { hash: string }).hash;
    writeFileSync(`${at.file}.head`, `${JSON.stringify({ hash, n: 2, v: 1 })}\n`);
    await expect(at.append('x')).rejects.toMatchObject(refused);
  });

  it('may be archived: what is left is checked from a record on that somebody kept', async () => {
    const kept = async (n: number) => ({ n, hash: (await recordsOf(at.file)).find((one) => one.n === n)?.hash ?? '' });
    const [four, three] = [await kept(4), await kept(3)];
    rmSync(inPlace(A));
    expect(await verify(three)).toMatchObject({ ok: true });
    rmSync(inPlace(B));
    expect(await verify(four)).toMatchObject({ ok: true });
    expect(await why({ n: 4, hash: '0'.repeat(64) })).toMatchObject({ file: C, line: 1 });
    expect(await why(three)).toMatchObject({ why: expect.stringContaining(`${B} is missing`) });
    rmSync(inPlace(C));
    expect(await why(four)).toMatchObject({ why: expect.stringContaining(`${C} is missing`) });
    expect(await why({ n: 99, hash: '0'.repeat(64) })).toMatchObject({ why: expect.stringContaining('99') });
  });
});
