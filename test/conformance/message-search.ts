import { expect, it } from 'vitest';
import { SearchQuery, SearchResponse } from '../../src/contracts/index.ts';
import type { MessageSearchService } from '../../src/messages/search/service.ts';
import { addMails, type Mail, type Mailbox, mailboxFile, removeMails } from '../support/mailbox.ts';
import { deniedIds, oracle, type Ranking, recipientsSeen } from '../support/mailbox-oracle.ts';
import { type Asked, randomAsked, randomMail, randomMailbox } from '../support/mailbox-random.ts';
import { createRandom, type Random } from '../support/random.ts';
import type { MakeSearch } from './make-search.ts';
import { messageSyntaxConformance } from './message-syntax.ts';

/** Makes the search under test over a file of messages. */

interface Wishes {
  readonly mailboxes: number;
  readonly queries: number;
  readonly seed: number;
  /** The mode that is asked for, of an engine that ranks in a way of its own. */
  readonly mode?: SearchQuery['mode'];
  readonly rank?: Ranking | undefined;
}

interface Rig {
  readonly mode: SearchQuery['mode'];
  readonly rank: Ranking | undefined;
  readonly box: Mailbox;
  readonly search: MessageSearchService;
  /** Another process: it has none of the orders that this one keeps. */
  readonly other: MessageSearchService;
  add(mails: readonly Mail[]): void;
  remove(ids: readonly number[]): void;
}

/**
 * What every engine of message search must show on generated mailboxes, against an oracle that looks at every mail: filters,
 * ranking, pages and visibility, and the three promises about pages.
 */
export function messageSearchConformance(make: MakeSearch, { mailboxes, queries, seed, mode, rank }: Wishes): void {
  const seeds = Array.from({ length: mailboxes }, (_, index) => seed + index);

  it.each(seeds)(
    'A: without writes all pages together are the order of the oracle (seed %i)',
    {
      tags: [
        'MS-004',
        'MS-027',
        'MS-028',
        'MS-031',
        'MS-032',
        'MS-033',
        'MS-034',
        'MS-037',
        'MS-039',
        'MS-042',
        'MS-043',
        'MS-044',
        'MS-055',
        'MS-056',
        'MS-061',
        'MS-066',
        'MS-067',
        'MS-071',
        'MS-072',
        'MS-079',
        'MS-080',
        'MS-081',
        'MS-091',
        'MS-129',
        'MS-130',
        'MS-131',
        'MS-132',
        'MS-133',
        'MS-134',
        'MS-135',
        'MS-136',
        'MS-137',
        'MS-138',
        'MS-139',
        'MS-140',
        'MS-141',
        'MS-142',
        'MS-171',
      ],
    },
    async (n) => {
      await withRig({ make, mode, rank }, createRandom(n), 20 + (n % 5) * 60, async (rig, random) => {
        for (let index = 0; index < queries; index += 1) await exactPages(rig, random);
      });
    },
  );

  it.each(seeds)(
    'B: newest first and filters alone, mail that comes and goes repeats and hides nothing (seed %i)',
    { tags: ['MS-060', 'MS-083'] },
    async (n) => {
      await withRig({ make, mode, rank }, createRandom(n), 120, async (rig, random) => {
        for (let index = 0; index < queries / 5; index += 1) {
          const asked = randomAsked(random, rig.box.agents);
          await changingPages(rig, random, { ...asked, query: { ...asked.query, ranking: 'recency', min_score: undefined } }, rig.search);
        }
      });
    },
  );

  it.each(seeds)('C: by relevance too, while the order of the first page is kept (seed %i)', { tags: ['MS-083'] }, async (n) => {
    await withRig({ make, mode, rank }, createRandom(n), 120, async (rig, random) => {
      for (let index = 0; index < queries / 5; index += 1) {
        const asked = randomAsked(random, rig.box.agents);
        await changingPages(rig, random, { ...asked, query: { ...asked.query, ranking: 'relevance' } }, rig.search);
      }
    });
  });

  it.each(seeds)('C: and elsewhere after the rank that the last row has now, with order_changed (seed %i)', async (n) => {
    await withRig({ make, mode, rank }, createRandom(n), 120, async (rig, random) => {
      for (let index = 0; index < queries / 5; index += 1) await resumedElsewhere(rig, random);
    });
  });

  // Modes with vectors find more than the words do.
  if (mode === undefined) messageSyntaxConformance(make, seed);
}

async function withRig(
  { make, mode, rank }: Pick<Wishes, 'mode' | 'rank'> & { make: MakeSearch },
  random: Random,
  size: number,
  work: (rig: Rig, random: Random) => Promise<void>,
): Promise<void> {
  const box = randomMailbox(random, size);
  const mails: Mail[] = [...box.mails];
  const { file, db, remove } = mailboxFile(box);
  const [search, other] = [make(file), make(file)];
  const rig: Rig = {
    mode,
    rank,
    box: { ...box, mails },
    search,
    other,
    add(more) {
      addMails(db, more);
      mails.push(...more);
    },
    remove(ids) {
      removeMails(db, ids);
      for (const id of ids)
        mails.splice(
          mails.findIndex((mail) => mail.id === id),
          1,
        );
    },
  };
  try {
    await work(rig, random);
  } finally {
    search.close();
    other.close();
    remove();
  }
}

async function exactPages({ box, search, other, mode, rank }: Rig, random: Random): Promise<void> {
  const asked = randomAsked(random, box.agents);
  const expected = oracle(box, asked, rank);
  const limit = 1 + random.integer(random.chance(0.5) ? 8 : 60);
  const offset = random.chance(0.1) ? random.integer(5) : 0;
  const found: unknown[] = [];
  let cursor: string | undefined;
  do {
    // Every third page comes from somebody who has not seen the one before.
    const from = random.chance(0.33) ? other : search;
    const answer = await from.search(
      SearchQuery.parse({ ...asked.query, retry: false, mode, limit, offset, cursor, explain: random.chance(0.3) }),
      asked.viewer,
    );
    expect(SearchResponse.safeParse(answer).error).toBeUndefined();
    const denied = cursor === undefined ? deniedIds(box, asked, rank) : [];
    if (cursor === undefined && answer.explain !== undefined) expect(answer.explain.denied_count, where(asked)).toBe(asked.viewer === null ? denied.length : 0);
    const told = isToldOf(asked) ? denied : [];
    const audited = auditedIn(answer);
    // The first hundred, in the order of the search.
    expect({ audited: audited.length, strange: audited.filter((id) => !told.includes(id)), asked }).toEqual({
      audited: Math.min(100, told.length),
      strange: [],
      asked,
    });
    for (const { id, to, cc, bcc, redacted } of answer.results) {
      if (!redacted) expect({ to, cc, bcc, asked }).toEqual({ bcc: undefined, ...recipientsSeen(box, asked, id), asked });
    }
    found.push(...answer.results.map(({ id, score, redacted }) => (redacted ? { id, redacted } : { id, score })));
    if (answer.next_cursor !== undefined) expect(answer.results).toHaveLength(limit);
    cursor = answer.next_cursor;
  } while (cursor !== undefined);
  const rows = expected.slice(offset).map(({ id, score, visible }) => (visible ? { id, score } : { id, redacted: true }));
  expect({ found, asked }).toEqual({ found: rows, asked });
}

/** Only operators are told what a scope of their own leaves out; with a redaction it is not left out. */
function isToldOf({ query, viewer }: Asked): boolean {
  return viewer === null && query.redaction?.redact_body !== true;
}

function auditedIn({ audit = [] }: SearchResponse): number[] {
  return [...new Set(audit.flatMap(({ action, doc_id }) => (action === 'denied' ? [doc_id] : [])))];
}

/** Between pages mail comes and goes; what was there all the time comes once, in the order of the beginning. */
async function changingPages(rig: Rig, random: Random, asked: Asked, search: MessageSearchService): Promise<void> {
  const atFirst = oracle(rig.box, asked, rig.rank).map(({ id }) => id);
  const gone = new Set<number>();
  const seen: number[] = [];
  const limit = 1 + random.integer(9);
  let cursor: string | undefined;
  do {
    const answer = await search.search(SearchQuery.parse({ ...asked.query, retry: false, mode: rig.mode, limit, cursor }), asked.viewer);
    seen.push(...answer.results.map(({ id }) => id));
    cursor = answer.next_cursor;
    for (const id of change(rig, random, seen)) gone.add(id);
  } while (cursor !== undefined);
  expect(new Set(seen).size, where(asked)).toBe(seen.length);
  const survivors = atFirst.filter((id) => !gone.has(id));
  expect({ seen: seen.filter((id) => survivors.includes(id)), asked }).toEqual({ seen: survivors, asked });
}

/** Deletes a few mails, often the one where the page ended, and sends a few. */
function change(rig: Rig, random: Random, seen: readonly number[]): readonly number[] {
  const { mails } = rig.box;
  const next = Math.max(...mails.map(({ id }) => id), 1000, ...seen) + 1;
  const last = seen.at(-1);
  const ids = new Set(Array.from({ length: random.integer(3) }, () => random.pick(mails).id));
  if (last !== undefined && random.chance(0.3) && mails.some(({ id }) => id === last)) ids.add(last);
  rig.remove([...ids]);
  rig.add(Array.from({ length: ids.size + random.integer(2) }, (_, index) => randomMail(random, rig.box.agents, next + index)));
  return [...ids];
}

async function resumedElsewhere(rig: Rig, random: Random): Promise<void> {
  const asked = randomAsked(random, rig.box.agents);
  const limit = 1 + random.integer(9);
  const query = { ...asked.query, retry: false, mode: rig.mode, ranking: 'relevance' as const, limit };
  const first = await rig.search.search(SearchQuery.parse(query), asked.viewer);
  const last = first.results.at(-1)?.id;
  if (first.next_cursor === undefined || last === undefined || asked.wanted.by !== 'words') return;
  const gone = change(rig, random, [last]);
  const second = await rig.other.search(SearchQuery.parse({ ...query, cursor: first.next_cursor, explain: true }), asked.viewer);
  expect(second.explain?.order_changed, where(asked)).toBe(true);
  const now = oracle(rig.box, { ...asked, query }, rig.rank).map(({ id }) => id);
  if (gone.includes(last) || !now.includes(last)) return;
  const rest = now.slice(now.indexOf(last) + 1);
  expect({ ids: second.results.map(({ id }) => id), asked }).toEqual({ ids: rest.slice(0, limit), asked });
  expect(second.next_cursor !== undefined).toBe(rest.length > limit);
}

function where(asked: Asked): string {
  return JSON.stringify(asked);
}
