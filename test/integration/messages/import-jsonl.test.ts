import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IngestOp } from '../../../src/contracts/index.ts';
import { type ImportSite, importSite } from './import-site.ts';

let site: ImportSite;
beforeEach(() => {
  site = importSite();
});
afterEach(() => site[Symbol.dispose]());

const line = (i: number, more: object = {}): string =>
  JSON.stringify({ key: `k${i}`, from: 'Ann', to: ['Bob'], subject: `s${i}`, body_md: `b${i}`, created_ts: i, ...more });

describe('an import of JSON Lines', () => {
  it('stores messages and other operations, and reports what is none without losing the rest', async () => {
    const file = join(site.directory, 'mail.jsonl');
    const lines = [
      line(1, { created_ts: '2026-01-02T03:04:05Z' }),
      '{"broken',
      '',
      line(2, { importance: 'extreme' }),
      JSON.stringify({ op: 'agent', name: 'Ann', task_description: 'writes parsers' }),
      JSON.stringify({ op: 'rebuild' }),
      JSON.stringify({ op: 'explode' }),
      JSON.stringify({ subject: 'no key', project: 'web' }),
      '[]',
      line(3),
    ];
    await writeFile(file, lines.join('\n'));
    const { counts, bad, told, finished } = await site.run(file, { project: 'backend' });
    expect({ counts, bad, finished }).toEqual({ counts: { inserted: 3, updated: 1, deleted: 0, unchanged: 0, refused: 0 }, bad: 5, finished: true });
    expect(told.map((text) => text.slice(0, text.indexOf(':')))).toEqual(['line 2', 'line 4', 'line 6', 'line 7', 'line 9']);
    expect(site.rows('SELECT p.slug, m.subject FROM messages m JOIN projects p ON p.id = m.project_id ORDER BY m.id')).toEqual([
      ['backend', 's1'],
      ['web', 'no key'],
      ['backend', 's3'],
    ]);
    expect(site.rows(`SELECT created_ts FROM messages WHERE subject = 's1'`)).toEqual([[Date.UTC(2026, 0, 2, 3, 4, 5) * 1000]]);
  });

  it('says what is wrong with a record, in the words of the HTTP API', async () => {
    const file = join(site.directory, 'mail.jsonl');
    const wrong = [line(1, { created_ts: 'yesterday' }), line(2, { op: 'mesage' }), line(3, { importance: 'HIGH' }), line(4, { to: 'Bob' })];
    await writeFile(file, wrong.join('\n'));
    expect((await site.run(file, { project: 'p' })).told).toEqual([
      'line 1: created_ts: is no time (RFC 3339)',
      expect.stringMatching(/^line 2: op: must be one of .*; did you mean 'message'\?$/),
      "line 3: importance: must be one of low, normal, high, urgent; did you mean 'high'?",
      'line 4: to: must be a list',
    ]);
  });

  it('goes on where it was stopped, and takes what was added since; a file that is another one begins anew', async () => {
    const file = join(site.directory, 'mail.jsonl');
    await writeFile(file, `${Array.from({ length: 1700 }, (_, i) => line(i)).join('\n')}\n`);
    const first = await site.run(file, { project: 'p' }, { most: 2 });
    expect(first.finished).toBe(false);
    const jobs: (readonly IngestOp[])[] = [];
    const second = await site.run(file, { project: 'p' }, { jobs });
    expect(second.finished).toBe(true);
    expect(site.rows('SELECT count(*) FROM messages')).toEqual([[1700]]);
    await appendFile(file, `${line(1700)}\n`);
    expect((await site.run(file, { project: 'p' })).counts).toMatchObject({ inserted: 1, unchanged: 0 });
    await writeFile(file, `${line(9000)}\n${line(5)}\n`);
    expect((await site.run(file, { project: 'p' })).counts).toMatchObject({ inserted: 1, unchanged: 1 });
  });

  it('writes a position only when everything before it is stored', async () => {
    const file = join(site.directory, 'mail.jsonl');
    await writeFile(file, Array.from({ length: 3000 }, (_, i) => line(i)).join('\n'));
    const jobs: (readonly IngestOp[])[] = [];
    await site.run(file, { project: 'p' }, { jobs });
    let sent = 0;
    for (const ops of jobs) {
      for (const op of ops) if (op.op === 'mark') expect(op.items).toBeLessThanOrEqual(sent);
      sent += ops.filter(({ op }) => op === 'message').length;
    }
    expect(jobs.at(-1)).toMatchObject([{ op: 'mark', items: 3000, finished: true }]);
  });

  describe('that is repeated after records were left out or edited', () => {
    const long = (i: number, more: object = {}): string => line(i, { body_md: 'x'.repeat(700), ...more });
    const lines = (): string[] => Array.from({ length: 100 }, (_, i) => long(i + 1));
    const stored = (): readonly unknown[] => site.rows(`SELECT source_key FROM messages ORDER BY cast(substr(source_key, 2) AS INTEGER)`).flat();
    const file = (): string => join(site.directory, 'mail.jsonl');
    const write = (all: readonly string[]): Promise<void> => writeFile(file(), `${all.join('\n')}\n`);
    const run = () => site.run(file(), { project: 'p' });

    it('tells of a record that is left out in every run until it is in, and is at its end only then', async () => {
      await write(lines().with(59, long(60, { importance: 'HIGH' })));
      for (let i = 0; i < 3; i += 1) expect(await run()).toMatchObject({ bad: 1, finished: true, told: [expect.stringMatching(/^line 60: importance/)] });
      await write(lines());
      expect(await run()).toMatchObject({ bad: 0, told: [], counts: { inserted: 1, unchanged: 99 } });
      expect(await run()).toMatchObject({ items: 0, bad: 0 });
    });

    it.each([
      ['longer', 'normal'],
      ['as long', 'high'],
      ['shorter', 'low'],
    ])('takes in a record that was mended with a text that is %s, and what was added with it', async (_, importance) => {
      await write(lines().with(59, long(60, { importance: 'HIGH' })));
      await run();
      await write([...lines().with(59, long(60, { importance })), long(101), long(102)]);
      expect(await run()).toMatchObject({ bad: 0, told: [], counts: { inserted: 3 } });
      expect(stored()).toEqual(Array.from({ length: 102 }, (_unused, i) => `k${i + 1}`));
    });

    it('sees an edit anywhere before its position, although nothing was left out', async () => {
      await write(lines());
      await run();
      await write(lines().with(59, long(60, { body_md: 'y'.repeat(700) })));
      expect(await run()).toMatchObject({ counts: { updated: 1, unchanged: 99 } });
    });

    it('reads the whole of a last line that had no end and has grown', async () => {
      const half = long(2);
      await writeFile(file(), `${long(1)}\n${half.slice(0, 300)}`);
      expect(await run()).toMatchObject({ bad: 1, told: [expect.stringMatching(/^line 2: /)] });
      await appendFile(file(), half.slice(300));
      expect(await run()).toMatchObject({ bad: 0 });
      await appendFile(file(), ` \n${long(3)}`);
      await run();
      await appendFile(file(), `\n{"broken`);
      expect(await run()).toMatchObject({ items: 0, told: [expect.stringMatching(/^line 4: /)] });
      expect(stored()).toEqual(['k1', 'k2', 'k3']);
    });

    it('says of a run that goes on with one that was broken off what that one left out', async () => {
      const many = Array.from({ length: 3000 }, (_, i) => line(i + 1)).with(2, line(3, { importance: 'HIGH' }));
      await write(many);
      expect(await site.run(file(), { project: 'p' }, { most: 5 })).toMatchObject({ finished: false });
      expect(await run()).toMatchObject({ finished: true, bad: 1, told: [] });
      expect(await run()).toMatchObject({ finished: true, bad: 1, told: [expect.stringMatching(/^line 3: /)] });
    });

    it('says again what the store refuses, until it is in', async () => {
      const refused = JSON.stringify({ op: 'link', product_uid: 'none', project: 'p' });
      await write([line(1), refused]);
      for (let i = 0; i < 2; i += 1) expect((await run()).counts).toMatchObject({ refused: 1 });
    });
  });
});
