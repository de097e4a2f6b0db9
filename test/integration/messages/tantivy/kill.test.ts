import { EventEmitter, once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createTantivyKeeper } from '../../../../src/messages/engines/tantivy/keeper.ts';
import { createPins } from '../../../../src/messages/engines/tantivy/pinned.ts';
import { addMails, mailboxFile } from '../../../support/mailbox.ts';
import { BOX } from '../../../support/mailbox-small.ts';
import { killedAfter, MOMENTS } from '../../../support/messages/killed.ts';
import { searchOver } from '../../../support/search-service.ts';
import { describeTantivy, tantivyOver } from '../../../support/tantivy.ts';

describeTantivy("Tantivy's index, whose writer is killed", (tantivy) => {
  it('while it commits, publishes or rebuilds, is whole: it answers or FTS5 does, and the next writer brings it up to date', async () => {
    const box = mailboxFile(BOX);
    const rig = tantivyOver(tantivy, box.file);
    rig.indexer.follow();
    rig.indexer.close();
    for (const [work, afterMs] of MOMENTS) {
      await killedAfter('./index-child.ts', { file: box.file, root: rig.root }, work, afterMs);
      expect(createPins(tantivy, rig.root)()).toMatchObject({ ok: true });
      const search = searchOver(box.file, { engines: { tantivy: rig.engine } });
      const there = box.db.prepare<[], number>(`SELECT count(*) FROM messages WHERE subject || body_md LIKE '%plan%'`).pluck().get();
      expect((await search.search({ text: 'plan', explain: true }, null)).explain?.matched_count).toBe(there);
      rig.indexer.follow();
      expect((await search.search({ text: 'plan', explain: true }, null)).explain).toMatchObject({ engine: 'tantivy', matched_count: there });
      // What the killed one worked on is gone.
      expect(readdirSync(rig.root).filter((name) => name.startsWith('w-'))).toHaveLength(1);
      rig.indexer.close();
      search.close();
    }
    rig.close();
    box.remove();
  });
});

describeTantivy("The keeper of Tantivy's index", (tantivy) => {
  it('follows in a thread, makes it anew, and goes on after a failure', async () => {
    const box = mailboxFile(BOX);
    const root = path.join(path.dirname(box.file), 'tantivy');
    const events: string[] = [];
    const failures: string[] = [];
    const told = new EventEmitter();
    const tell = (list: string[], what: string) => {
      list.push(what);
      told.emit('told');
    };
    const keeper = createTantivyKeeper({ file: box.file, root, onEvent: ({ event }) => tell(events, event), onFailed: (why) => tell(failures, why) });
    const until = async (holds: () => boolean) => {
      while (!holds()) await once(told, 'told');
    };
    const documents = () => {
      const pin = createPins(tantivy, root)();
      return pin.ok ? pin.pinned.published.documents : 0;
    };
    await keeper.start();
    await until(() => documents() === 13);
    const [mail] = BOX.mails;
    if (mail !== undefined) addMails(box.db, [{ ...mail, id: 40 }]);
    keeper.follow();
    await until(() => documents() === 14);
    keeper.rebuild();
    await until(() => events.filter((event) => event === 'index.rebuild.complete').length === 2);
    box.db.exec('ALTER TABLE text_changes RENAME TO away');
    keeper.follow();
    await until(() => failures.length === 1);
    box.db.exec('ALTER TABLE away RENAME TO text_changes');
    if (mail !== undefined) addMails(box.db, [{ ...mail, id: 41 }]);
    keeper.follow();
    await until(() => documents() === 15);
    await keeper.stop();
    expect(readdirSync(root).filter((name) => name.startsWith('w-'))).toEqual([]);
    box.remove();
  });
});
