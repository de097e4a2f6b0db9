import { readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Tantivy } from '../../../../src/messages/engines/tantivy/binding.ts';
import { createTantivyEngine } from '../../../../src/messages/engines/tantivy/engine.ts';
import { currentText, publishedIn } from '../../../../src/messages/engines/tantivy/generations.ts';
import { createPins } from '../../../../src/messages/engines/tantivy/pinned.ts';
import { SCHEMA_HASH } from '../../../../src/messages/engines/tantivy/schema.ts';
import { createMessagesReader } from '../../../../src/messages/store/reader.ts';
import { addMails, mailboxFile, removeMails } from '../../../support/mailbox.ts';
import { BOX } from '../../../support/mailbox-small.ts';
import { searchOver } from '../../../support/search-service.ts';
import { describeTantivy, tantivyOver } from '../../../support/tantivy.ts';

const [MAIL] = BOX.mails;
const mails = (from: number, count: number) => (MAIL === undefined ? [] : Array.from({ length: count }, (_, index) => ({ ...MAIL, id: from + index })));

describeTantivy("Tantivy's index", (tantivy: Tantivy) => {
  let box: ReturnType<typeof mailboxFile>;
  let rig: ReturnType<typeof tantivyOver>;
  beforeEach(() => {
    box = mailboxFile(BOX);
    rig = tantivyOver(tantivy, box.file);
  });
  afterEach(() => {
    rig.close();
    box.remove();
  });

  /** A search by somebody who has opened nothing yet. */
  async function searched(text = 'plan') {
    const reader = createMessagesReader(box.file);
    const engine = createTantivyEngine({ tantivy, root: rig.root, database: reader.database });
    const service = searchOver(box.file, { engines: { tantivy: engine }, killSwitch: 'tantivy' });
    const answer = await service.search({ text, explain: true }, null);
    service.close();
    reader.close();
    return { ...answer, events: service.events };
  }
  const scored = ({ results }: Awaited<ReturnType<typeof searched>>) => results.map(({ id, score, raw_score }) => [id, score, raw_score]);
  const published = () => publishedIn(currentText(rig.root) ?? '');

  it('is made from all rows at first, then follows what changes, and tells of it', { tags: ['MS-145', 'MS-146', 'MS-147'] }, async () => {
    rig.indexer.follow();
    expect(rig.events).toEqual([
      { event: 'index.rebuild.start', doc_count: 13 },
      { event: 'index.rebuild.complete', doc_count: 13, duration_ms: expect.any(Number) },
    ]);
    expect(rig.indexer.follow()).toBe(0);
    addMails(box.db, mails(20, 3));
    removeMails(box.db, [2]);
    expect(rig.indexer.follow()).toBe(4);
    expect(rig.events.slice(2)).toEqual([{ event: 'index.incremental.batch', batch_size: 4, duration_ms: expect.any(Number) }]);
    expect(published()).toMatchObject({ schema: SCHEMA_HASH, documents: 15 });
    const answer = await searched();
    expect(answer.explain).toMatchObject({ engine: 'tantivy', matched_count: 7 });
    box.db.exec(`UPDATE messages SET subject = 'Other', body_md = 'words' WHERE id = 20`);
    rig.indexer.follow();
    expect((await searched()).explain).toMatchObject({ engine: 'tantivy', matched_count: 6 });
    rig.indexer.rebuild();
    expect((await searched()).explain).toMatchObject({ engine: 'tantivy', matched_count: 6 });
  });

  it('gives the same scores whenever a generation is opened, also beside newer ones, and keeps but two of them', { tags: ['MS-006'] }, async () => {
    rig.indexer.follow();
    addMails(box.db, mails(20, 2));
    rig.indexer.follow();
    const pin = createPins(tantivy, rig.root)();
    const before = scored(await searched());
    expect(scored(await searched())).toEqual(before);
    const all = () => (pin.ok ? pin.pinned.search(tantivy.Query.allQuery(), 100) : undefined);
    const pinned = all();
    rig.indexer.close();
    rig.indexer.follow();
    expect(scored(await searched())).toEqual(before);
    for (let id = 30; id < 36; id += 1) {
      addMails(box.db, mails(id, 1));
      rig.indexer.follow();
    }
    expect(all()).toEqual(pinned);
    expect(readdirSync(rig.root).filter((name) => name.startsWith('g-'))).toHaveLength(2);
    expect(readdirSync(rig.root).filter((name) => name.startsWith('w-'))).toHaveLength(1);
  });

  it('is made anew when too much of it was deleted: its scores count what is there', async () => {
    addMails(box.db, mails(100, 120));
    rig.indexer.follow();
    removeMails(
      box.db,
      mails(100, 110).map(({ id }) => id),
    );
    rig.indexer.follow();
    expect(rig.events.map(({ event }) => event)).toEqual([
      'index.rebuild.start',
      'index.rebuild.complete',
      'index.incremental.batch',
      'index.rebuild.start',
      'index.rebuild.complete',
    ]);
    expect((await searched()).explain?.matched_count).toBe(15);
  });

  it('of another schema is told of, not read, and made anew', { tags: ['MS-148'] }, async () => {
    rig.indexer.follow();
    rig.indexer.close();
    const { createHash } = await import('node:crypto');
    const other = { ...published(), schema: 'abcdefabcdef' };
    const check = createHash('sha256').update(JSON.stringify(other)).digest('hex');
    writeFileSync(path.join(rig.root, 'CURRENT'), JSON.stringify({ ...other, check }));
    const meanwhile = await searched();
    expect(meanwhile).toMatchObject({ explain: { engine: 'fts5', mode_downgraded: true }, diagnostics: { search_index_state: 'not_ready' } });
    expect(meanwhile.results).toHaveLength(5);
    rig.indexer.follow();
    expect(rig.events).toContainEqual({ event: 'index.schema.mismatch', expected: SCHEMA_HASH, actual: 'abcdefabcdef' });
    expect((await searched()).explain?.engine).toBe('tantivy');
  });

  it('of another database of messages is made anew', async () => {
    rig.indexer.follow();
    rig.indexer.close();
    box.db.exec(`UPDATE meta SET value = 'another' WHERE key = 'generation'`);
    rig.indexer.follow();
    expect(rig.events.filter(({ event }) => event === 'index.rebuild.start')).toHaveLength(2);
    expect(published().database).toBe('another');
  });

  it('that is not there yet is no failure, and said only to who asked for Tantivy', async () => {
    const answer = await searched();
    expect(answer.explain).toMatchObject({ engine: 'fts5', mode_downgraded: true, downgrade_reason: 'tantivy: there is no index yet' });
    expect(answer.events.map(({ event }) => event)).toEqual(['search.mode.downgrade', 'search.done']);
    const reader = createMessagesReader(box.file);
    const open = searchOver(box.file, { engines: { tantivy: createTantivyEngine({ tantivy, root: rig.root, database: reader.database }) } });
    expect((await open.search({ text: 'plan', explain: true }, null)).explain).toMatchObject({ engine: 'fts5', mode_downgraded: false });
    open.close();
    reader.close();
  });

  const damages: readonly (readonly [string, (file: string) => void])[] = [
    ['with a bit turned over', (file) => flip(file)],
    ['cut short', (file) => truncateSync(file, Math.max(0, statSync(file).size - 1))],
    ['longer', (file) => writeFileSync(file, 'x', { flag: 'a' })],
    ['removed', (file) => rmSync(file)],
  ];
  it.each(damages)(
    'with any one file %s answers nothing: FTS5 does, with reason and event, until it is made anew',
    { tags: ['MS-154', 'MS-159'] },
    async (_name, damage) => {
      rig.indexer.follow();
      rig.indexer.close();
      const { directory } = published();
      const names = [path.join(rig.root, 'CURRENT'), ...readdirSync(path.join(rig.root, directory)).map((name) => path.join(rig.root, directory, name))];
      expect(names.length).toBeGreaterThan(7);
      for (const name of names.filter((file) => !file.endsWith('.lock'))) {
        const whole = readFileSync(name);
        // Not the file itself: other generations share it.
        rmSync(name);
        writeFileSync(name, whole);
        if (whole.length === 0) continue;
        damage(name);
        const answer = await searched();
        expect(answer.results).toHaveLength(5);
        expect({ name: path.basename(name), engine: answer.explain?.engine, downgraded: answer.explain?.mode_downgraded }).toEqual({
          name: path.basename(name),
          engine: 'fts5',
          downgraded: true,
        });
        if (path.basename(name) !== 'CURRENT' || readdirSync(rig.root).includes('CURRENT')) {
          expect(answer.explain?.downgrade_reason).toMatch(/tantivy: (the index|Unexpected)/u);
          expect(answer.events.map(({ event }) => event)).toContain('search.engine.error');
        }
        writeFileSync(name, whole);
        expect((await searched()).explain?.engine).toBe('tantivy');
      }
      damage(names[2] ?? '');
      rig.indexer.follow();
      expect((await searched()).explain?.engine).toBe('tantivy');
    },
  );

  it('in a directory that is gone, or was put there by somebody else, is made anew', async () => {
    rig.indexer.follow();
    rig.indexer.close();
    renameSync(path.join(rig.root, published().directory), path.join(rig.root, 'elsewhere'));
    expect((await searched()).explain?.downgrade_reason).toContain('is missing');
    rig.indexer.follow();
    expect((await searched()).explain?.engine).toBe('tantivy');
  });
});

function flip(file: string): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  writeFileSync(file, bytes);
}
