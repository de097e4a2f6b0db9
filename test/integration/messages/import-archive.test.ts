import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedMail, serveArchive, write } from './agent-mail-server.ts';
import { type ImportSite, importSite } from './import-site.ts';

let site: ImportSite;
let root: string;
beforeEach(() => {
  site = importSite();
  root = join(site.directory, 'archive');
});
afterEach(() => site[Symbol.dispose]());

const PLAN: ServedMail = { id: 7, subject: 'Plan', body: 'First line\n\n---\n\nlast line' };
const month = (): string => join(root, 'projects', 'backend', 'messages', '2026', '11');

describe('an import of the archive of an agent-mail server', () => {
  it('brings each message once, with its people, its project and its time to the microsecond', async () => {
    serveArchive(root, [PLAN]);
    expect(await site.run(root)).toMatchObject({ told: [], finished: true });
    expect(site.rows('SELECT m.id, a.name, subject, body_md, importance, ack_required, created_ts FROM messages m JOIN agents a ON a.id = sender_id')).toEqual([
      [7, 'BlueLake', 'Plan', PLAN.body, 'high', 1, Date.UTC(2026, 10, 20, 8, 9, 10) * 1000 + 123_456],
    ]);
    expect(site.rows('SELECT slug, human_key FROM projects')).toEqual([['backend', '/srv/backend']]);
    expect(site.rows('SELECT name, program, contact_policy FROM agents ORDER BY name')).toEqual([
      ['BlueLake', 'codex', 'open'],
      ['RedStone', '', 'auto'],
    ]);
  });

  it('takes one project of it by its folder', async () => {
    serveArchive(root, [PLAN]);
    expect(await site.run(join(root, 'projects', 'backend'))).toMatchObject({ told: [], finished: true });
    expect(site.rows('SELECT p.slug, m.subject FROM messages m JOIN projects p ON p.id = m.project_id')).toEqual([['backend', 'Plan']]);
  });

  it('knows whoever writes from another project as somebody of that one', async () => {
    serveArchive(root, [PLAN]);
    const [file] = ['2026-11-20T08-09-10Z__plan__7.md'].map((name) => join(month(), name));
    write(file as string, readFileSync(file as string, 'utf8').replace('"from": "BlueLake",', '"from": "GreenHill",\n  "from_project_slug": "web",'));
    await site.run(root);
    expect(site.rows('SELECT p.slug, a.name FROM messages m JOIN agents a ON a.id = m.sender_id JOIN projects p ON p.id = a.project_id')).toEqual([
      ['web', 'GreenHill'],
    ]);
  });

  it('tells what cannot be read with its place, takes the rest, follows no link, and deletes nothing then', async () => {
    serveArchive(root, [PLAN, { id: 8, subject: 'Gone', body: 'soon' }]);
    await site.run(root);
    rmSync(join(month(), '2026-11-20T08-09-10Z__gone__8.md'));
    write(join(month(), 'a-half.md'), '---json\n{"id": 1');
    write(join(month(), 'b-list.md'), '---json\n[]\n---\n\nx\n');
    write(join(month(), 'c-plain.md'), '# notes\n');
    write(join(month(), 'd-nameless.md'), '---json\n{"id": "x", "from": "BlueLake"}\n---\n\nx\n');
    write(join(month(), 'e-latin.md'), Buffer.from([0x2d, 0x2d, 0x2d, 0xff]));
    write(join(month(), 'g-large.md'), Buffer.alloc(9 * 1024 * 1024, 0x20));
    write(join(site.directory, 'secret.md'), readFileSync(join(month(), '2026-11-20T08-09-10Z__plan__7.md'), 'utf8').replace('"id": 7', '"id": 99'));
    symlinkSync(join(site.directory, 'secret.md'), join(month(), 'h-link.md'));
    const { told, kept, counts } = await site.run(root);
    const names = ['a-half', 'b-list', 'c-plain', 'd-nameless', 'e-latin', 'g-large'].map((name) => `backend/messages/2026/11/${name}.md: `);
    expect(told.map((line) => line.slice(0, line.indexOf(': ') + 2))).toEqual(names);
    expect([kept, counts.deleted]).toEqual(['nothing was deleted, because some records could not be read', 0]);
    expect(site.rows('SELECT id FROM messages ORDER BY id')).toEqual([[7], [8]]);
  });

  it('ends with a code when a folder goes away while it is read, and deletes nothing', async () => {
    serveArchive(root, [PLAN, { id: 8, subject: 'Late', body: 'x' }]);
    await site.run(root);
    await using source = await site.open(root);
    const records = source.records(undefined)[Symbol.asyncIterator]();
    await records.next();
    renameSync(join(root, 'projects', 'backend'), join(root, 'projects', 'elsewhere'));
    const rest = (async () => {
      for (let next = await records.next(); next.done !== true; next = await records.next());
    })();
    await expect(rest).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('cannot be read') });
  });

  it('is not what a directory of anything else is taken for', async () => {
    mkdirSync(join(root, 'messages', 'threads'), { recursive: true });
    await expect(site.open(root)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('neither a Maildir') });
  });
});
