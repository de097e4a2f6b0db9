import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInProcessJournal } from '../../../../src/adapters/sqlite/journal/journal-in-process.ts';
import { openJournalReader } from '../../../../src/adapters/sqlite/journal/journal-reader.ts';
import { openKernelStore } from '../../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import { openDatabase } from '../../../../src/adapters/sqlite/open.ts';
import { createPlanJournal } from '../../../../src/adapters/sqlite/plan-journal/plan-journal.ts';
import { createIndexEngine } from '../../../../src/adapters/sqlite/task-index/task-index-engine.ts';
import { createToolJournal } from '../../../../src/adapters/sqlite/tool-journal/tool-journal.ts';
import { createWebhookOutbox } from '../../../../src/adapters/sqlite/webhook-outbox/webhook-outbox.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'writ-schema-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

interface Opened {
  stop(): void | Promise<void>;
}

/** A store that is started, or was refused. */
async function started<T extends { start(): Promise<void>; stop(): Promise<void> }>(store: T): Promise<Opened> {
  await store.start();
  return store;
}

const journalFile = (): string => join(directory, 'journal.db');

/** Each file of ours whose rows cannot be had again, and a column that its statements read. */
const STORES: Readonly<Record<string, { readonly file: string; readonly column: `${string}.${string}`; readonly open: () => Promise<Opened> }>> = {
  'the journal': { file: 'journal.db', column: 'attempt.jti', open: () => started(createInProcessJournal({ file: journalFile() })) },
  'the tool journal': { file: 'tool.db', column: 'attempt.kid', open: () => started(createToolJournal({ directory })) },
  'the plan journal': { file: 'plan.db', column: 'plan.lease', open: () => started(createPlanJournal({ directory })) },
  'the outbox of webhooks': {
    file: 'outbox.db',
    column: 'notice.problem',
    open: () => started(createWebhookOutbox({ directory, limits: { endpointBytes: 1e9, maxNotices: 1e6 } })),
  },
  'the records of the kernel': {
    file: 'kernel.db',
    column: 'revocation.token',
    open: async () => {
      const store = openKernelStore(directory);
      return { stop: () => store.close() };
    },
  },
};

/** What a damaged page or a careless hand leaves: the file opens, and a statement does not fit. */
function rename(file: string, column: string): void {
  const [table = '', name = ''] = column.split('.');
  const db = openDatabase(join(directory, file));
  db.exec(`ALTER TABLE ${table} RENAME COLUMN ${name} TO lost_${name}`);
  db.close();
}

/** Descriptors of this process that lead into the directory. */
function held(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)].filter((path) => path.startsWith(directory));
    } catch {
      return [];
    }
  });
}

describe('a file whose schema is not the one of its version', () => {
  for (const [name, { file, column, open }] of Object.entries(STORES)) {
    it(`is refused with a code and a sentence, and let go: ${name}`, async () => {
      await (await open()).stop();
      rename(file, column);
      await expect(open()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining(`${name} ${join(directory, file)}`) });
      expect(held()).toEqual([]);
    });
  }

  it('is refused to a reader of the journal, too', async () => {
    await (await started(createInProcessJournal({ file: journalFile() }))).stop();
    rename('journal.db', 'attempt.jti');
    expect(() => openJournalReader(journalFile())).toThrow(expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }));
    expect(held()).toEqual([]);
  });

  it('is made anew where it is a copy: the task index', () => {
    const options = { file: join(directory, 'index.db'), maxTasks: 10, maxEvents: 10 };
    const first = createIndexEngine(options);
    const { generation } = first.begin();
    first.close();
    rename('index.db', 'task.queue');
    const second = createIndexEngine(options);
    expect(second.begin()).toMatchObject({ tasks: 0 });
    expect(second.begin().generation).not.toBe(generation);
    second.close();
  });
});

describe('a directory in which nothing can be made', () => {
  it('is an outage and no stack', async () => {
    const inFile = createToolJournal({ directory: join(journalFile(), 'below-a-file') });
    await (await started(createInProcessJournal({ file: journalFile() }))).stop();
    await expect(inFile.start()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('cannot be opened') });
  });
});
