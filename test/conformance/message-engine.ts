import { expect, it } from 'vitest';
import type { EngineFound, EngineRequest, EngineRow, MessageEngine } from '../../src/core/ports/message-engine.ts';
import { decodeCursor } from '../../src/messages/search/cursor.ts';
import { ENGINES } from '../../src/messages/search/engines.ts';
import { createOrderLists } from '../../src/messages/search/order-lists.ts';
import { tokenAfter } from '../../src/messages/search/pages.ts';
import { addMails, type Mail, type Mailbox, mailboxFile, removeMails } from '../support/mailbox.ts';
import { deniedIds, oracle } from '../support/mailbox-oracle.ts';
import { type Asked, randomMail } from '../support/mailbox-random.ts';
import { READERS, seenBy } from '../support/mailbox-readers.ts';
import { createRandom, type Random } from '../support/random.ts';
import { facetsByHand, found, plainAsked, plainMail, plainMailbox, requestOf } from './message-engine-samples.ts';

/** An engine over the messages of a file. */
export interface EngineRig {
  readonly engine: MessageEngine;
  /** Brings it up to the newest change of the file. */
  follow(): void | Promise<void>;
  close(): void | Promise<void>;
}

export interface EngineWishes {
  readonly make: (file: string) => EngineRig | Promise<EngineRig>;
  /** Whether scores, too, depend on nothing that a reader may not see. */
  readonly scoresTellNothing?: true;
}

const QUESTIONS = 8;
const MAILS = 60;

/** What every engine of message search promises, whatever it searches with (`src/core/ports/message-engine.ts`). */
export function messageEngineConformance({ make, scoresTellNothing }: EngineWishes): void {
  it('finds what matches and what filters and scope leave, as it is stored, and counts it', { tags: ['MS-039', 'MS-091'] }, async () => {
    await withEngine(make, 1, async ({ engine }, box, random) => {
      for (const { asked, request } of questions(random, box)) {
        const expected = oracle(box, asked);
        const answer = await found(engine, request);
        expect({ asked, ids: seenIn(answer.rows) }).toEqual({ asked, ids: seenIn(expected) });
        for (const row of answer.rows) expect(row).toMatchObject(stored(box, row.id));
        const denied = request.scope.hide_denied ? 0 : deniedIds(box, asked).length;
        expect({ asked, matched: answer.matched, denied: answer.denied }).toEqual({ asked, matched: expected.length, denied });
        expect({ asked, facets: answer.facets }).toEqual({ asked, facets: facetsByHand(box, expected) });
        for (const { visible, reason } of answer.rows) expect(/_denied$/.test(reason), reason).toBe(!visible);
      }
    });
  });

  it('takes a thread by its whole name, letter by letter', { tags: ['MS-134'] }, async () => {
    await withEngine(make, 3, async ({ engine }, box) => {
      const threads = ['br-4', 'br-42', 'br', 'BR-4', 'br-4 ', 'br-4%', 'br_4'];
      const ids = threads.map((thread) => box.mails.flatMap(({ id, thread_id }) => (thread_id === thread ? [id] : [])));
      expect(ids.map(({ length }) => length > 0)).toEqual(threads.map((_, at) => at < 2));
      for (const [at, thread_id] of threads.entries()) {
        const request = requestOf({ query: { text: '', thread_id }, viewer: null, wanted: { by: 'filters' } });
        if (request === undefined) throw new Error('there is no question');
        const { rows } = await found(engine, request);
        expect({ thread_id, ids: rows.map(({ id }) => id).sort((a, b) => a - b) }).toEqual({ thread_id, ids: ids[at]?.sort((a, b) => a - b) });
      }
    });
  });

  it('has a total order: by score, or by time, then by id; the best row of the set scores 1', { tags: ['MS-066', 'MS-067', 'MS-072'] }, async () => {
    await withEngine(make, 2, async ({ engine }, box, random) => {
      for (const { request } of questions(random, box)) {
        const { rows } = await found(engine, request);
        const keys = rows.map(({ score, created_ts, id }) => [request.order === 'newest' ? -(created_ts ?? 0) : -score, id] as const);
        expect(keys).toEqual([...keys].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
        expect(rows.every(({ score, raw }) => score >= 0 && score <= 1 && Number.isFinite(raw))).toBe(true);
        expect(Math.max(1, ...rows.map(({ score }) => score))).toBe(1);
        if (rows.length > 0) expect(rows.some(({ score }) => score === 1)).toBe(true);
        const least = random.pick([0.1, 0.5, 1]);
        const best = await found(engine, { ...request, min_score: least });
        expect(best.rows).toEqual(rows.filter(({ score }) => score >= least));
        await isListed(engine, request, rows);
      }
    });
  });

  it('goes on behind a row that is named, and behind its score where it is gone', { tags: ['MS-071', 'MS-083'] }, async () => {
    await withEngine(make, 3, async (rig, box, random, change) => {
      const all: { request: EngineRequest; rows: readonly EngineRow[] }[] = [];
      for (const { request } of questions(random, box)) {
        const { rows } = await found(rig.engine, request);
        const limit = Math.ceil(rows.length / 4) + 1;
        expect(await paged(rig.engine, request, limit)).toEqual(rows.map(({ id }) => id));
        const skipped = await found(rig.engine, { ...request, offset: 3, limit });
        expect(skipped.rows).toEqual(rows.slice(3, 3 + limit));
        expect(skipped.more).toBe(rows.length > 3 + limit);
        all.push({ request, rows });
      }
      await isGoneOnWith(rig, all, change);
    });
  });

  it('follows the changes of the store, and says so while it is behind', { tags: ['MS-060'] }, async () => {
    await withEngine(make, 4, async (rig, box, random, change) => {
      const [question] = questions(random, box).filter(({ asked }) => asked.wanted.by === 'words');
      if (question === undefined) throw new Error('no question is about words');
      const before = await found(rig.engine, question.request);
      const next = Math.max(...box.mails.map(({ id }) => id)) + 1;
      const added = Array.from({ length: 20 }, (_, index) => plainMail(randomMail(random, box.agents, next + index)));
      const gone = box.mails.filter(({ id }) => id % 3 === 0).map(({ id }) => id);
      change.add(added);
      change.remove(gone);
      expect(await isToldOf(rig.engine, question.request, before.version)).toBe(true);
      await rig.follow();
      expect(rig.engine.absent?.(false)).toBeUndefined();
      const now = { ...box, mails: [...box.mails.filter(({ id }) => !gone.includes(id)), ...added] };
      for (const { asked, request } of questions(random, now)) {
        expect({ asked, ids: seenIn((await found(rig.engine, request)).rows) }).toEqual({ asked, ids: seenIn(oracle(now, asked)) });
        const named = await rig.engine.rows({ ...request, ids: [...gone, next] });
        expect(named.ok && named.value.every(({ id }) => id === next)).toBe(true);
      }
      expect((await found(rig.engine, question.request)).version).not.toBe(before.version);
    });
  });

  it('tells a reader nothing of what is hidden from them', { tags: ['MS-039', 'MS-091'] }, async () => {
    await withEngine(make, 5, async ({ engine }, box, random) => {
      for (const reader of [READERS.agent, READERS['key of an agent in projects']]) {
        const viewer = reader(random.pick(box.agents), box);
        await withEngine(make, seenBy(box, viewer).seen, async ({ engine: innocent }) => {
          for (const { asked } of questions(random, box).slice(0, 5)) {
            const request = requestOf(asked, viewer);
            if (request === undefined) continue;
            const [answer, expected] = [await found(engine, request), await found(innocent, request)];
            expect(told(answer, scoresTellNothing)).toEqual(told(expected, scoresTellNothing));
            expect(answer.denied).toBe(0);
          }
        });
      }
    });
  });

  it('has the name, mode and tag of the table, answers what no words are, and refuses with a reason', { tags: ['MS-153'] }, async () => {
    await withEngine(make, 6, async ({ engine }, box, random) => {
      expect(engine).toMatchObject({ name: engine.name, tag: ENGINES[engine.name].tag, mode: ENGINES[engine.name].mode });
      const [{ request } = { request: undefined }] = questions(random, box);
      if (request === undefined) throw new Error('there is no question');
      for (const text of ['"', 'a AND', '(((', 'x:y', "'; DROP TABLE messages; --", '\\', '%_', ':*', '!& |', '<->', '$1', '{}', '\u{1F600}', 'a\u0000b']) {
        const answer = await engine.find({ ...request, match: { by: 'words', expression: text, text }, order: 'relevance' });
        expect(answer.ok || ['invalid_query', 'engine_error'].includes(answer.error.kind), text).toBe(true);
      }
      expect((await found(engine, { ...request, match: { by: 'filters' }, order: 'newest' })).rows.length).toBeGreaterThanOrEqual(0);
      const [row] = (await found(engine, { ...request, match: { by: 'filters' }, order: 'newest', filters: NO_FILTERS, scope: EVERYTHING })).rows;
      expect(row && decodeCursor(tokenAfter(row, 'newest', engine))).toMatchObject({ engine: engine.tag, id: BigInt(row?.id ?? 0) });
    });
  });
}

const EVERYTHING: EngineRequest['scope'] = { projects: null, viewers: [], keep_denied: false };
const NO_FILTERS: EngineRequest['filters'] = {
  project_id: null,
  product_id: null,
  importance: [],
  thread_id: null,
  ack_required: null,
  min_ts: null,
  max_ts: null,
  direction: null,
  agent_name: null,
  sender_name: null,
  recipient_name: null,
};

interface Change {
  add(mails: readonly Mail[]): void;
  remove(ids: readonly number[]): void;
}

/** @param box a mailbox, or the seed of one */
async function withEngine(
  make: EngineWishes['make'],
  box: Mailbox | number,
  work: (rig: EngineRig, box: Mailbox, random: Random, change: Change) => Promise<void>,
): Promise<void> {
  const random = createRandom(typeof box === 'number' ? box : 0);
  const filled = typeof box === 'number' ? plainMailbox(random, MAILS) : box;
  const { file, db, remove } = mailboxFile(filled);
  const rig = await make(file);
  try {
    await rig.follow();
    await work(rig, filled, random, { add: (mails) => addMails(db, mails), remove: (ids) => removeMails(db, ids) });
  } finally {
    await rig.close();
    remove();
  }
}

function questions(random: Random, box: Mailbox): { asked: Asked; request: EngineRequest }[] {
  return Array.from({ length: QUESTIONS }, () => plainAsked(random, box)).flatMap((asked) => {
    const request = requestOf(asked);
    return request === undefined ? [] : [{ asked, request }];
  });
}

function seenIn(rows: readonly { readonly id: number; readonly visible: boolean }[]): string[] {
  return rows.map(({ id, visible }) => `${id} ${visible}`).sort();
}

function stored({ mails, agents }: Mailbox, id: number): object {
  const mail = mails.find((one) => one.id === id);
  if (mail === undefined) throw new Error(`message ${id} is none of the mailbox`);
  const { project_id, subject: title, body, importance, ack: ack_required, created_ts, thread_id, sender_id } = mail;
  const from_agent = agents.find((agent) => agent.id === sender_id)?.name ?? '';
  return { id, project_id, title, body, importance, ack_required, created_ts, thread_id, from_agent };
}

/** Whether an engine says that changes came: that it is behind, or a refusal of a first page, or a new version. */
async function isToldOf(engine: MessageEngine, request: EngineRequest, version: number): Promise<boolean> {
  if (engine.absent?.(false) !== undefined) return true;
  const answer = await engine.find(request);
  return answer.ok ? answer.value.version !== version : answer.error.kind === 'index_not_ready';
}

/** The list for later pages says of each row what the page says. */
async function isListed(engine: MessageEngine, request: EngineRequest, rows: readonly EngineRow[]): Promise<void> {
  const { list, version } = await found(engine, { ...request, limit: 1, list: 1000 });
  if (list === null || request.order !== 'relevance') return;
  const lists = createOrderLists({ max: 1, lifeMs: 1000, now: () => 0 });
  lists.keep('order', list, version);
  const order = lists.find('order');
  expect({ whole: order?.whole, length: order?.length }).toEqual({ whole: true, length: rows.length });
  expect(rows.map(({ id }) => ({ id, ...order?.scoreOf(id) }))).toEqual(rows.map(({ id, score, raw }) => ({ id, score, raw })));
}

/** The ids of all pages; each begins behind the last row of the one before. */
async function paged(engine: MessageEngine, request: EngineRequest, limit: number): Promise<number[]> {
  const ids: number[] = [];
  let answer = await found(engine, { ...request, limit });
  for (;;) {
    ids.push(...answer.rows.map(({ id }) => id));
    const last = answer.rows.at(-1);
    if (!answer.more || last === undefined) return ids;
    answer = await found(engine, { ...request, limit, after: placeOf(last, request) });
    expect(answer.resumed).toBe('row');
  }
}

function placeOf({ id, score, created_ts }: EngineRow, { order }: EngineRequest): EngineRequest['after'] {
  return { id: BigInt(id), score: order === 'newest' ? (created_ts ?? 0) : score, tagged: true };
}

async function isGoneOnWith(rig: EngineRig, all: readonly { request: EngineRequest; rows: readonly EngineRow[] }[], change: Change): Promise<void> {
  const gone = all.find(({ request, rows }) => request.order === 'newest' && rows.length > 4);
  const row = gone?.rows[1];
  if (gone === undefined || row === undefined) throw new Error('no question finds enough');
  change.remove([row.id]);
  await rig.follow();
  const answer = await found(rig.engine, { ...gone.request, after: placeOf(row, gone.request) });
  expect({ resumed: answer.resumed, ids: answer.rows.map(({ id }) => id) }).toEqual({ resumed: 'score', ids: gone.rows.slice(2).map(({ id }) => id) });
  const lost = await found(rig.engine, { ...gone.request, after: { id: BigInt(row.id), score: Number.NaN, tagged: true } });
  expect(lost.resumed).toBe('lost');
}

function told({ rows, matched, facets, more }: EngineFound, withScores = false): object {
  const shown = rows.map(({ score, raw, ...row }) => (withScores ? { ...row, score, raw } : row));
  return { rows: withScores ? shown : shown.sort((a, b) => a.id - b.id), matched, facets, more };
}
