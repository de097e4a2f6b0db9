import { messageOf } from '../../core/errors.ts';
import type { EngineAnswer, EngineFacets, EngineFound, EngineRequest, EngineRow, EngineSpent, MessageEngine } from '../../core/ports/message-engine.ts';
import type { Excerpt, MakeExcerpts } from '../../core/ports/message-excerpts.ts';
import type { MessageRecipients, ReadRecipients, RecipientsRequest } from '../../core/ports/message-recipients.ts';
import type { SearchViewer } from '../../core/ports/message-search.ts';
import { decodeCursor, encodeCursor, type SearchCursor } from './cursor.ts';
import type { OrderList, OrderLists } from './order-lists.ts';
import type { PageRequest } from './planner.ts';
import type { RetryBy } from './retry.ts';

/** Rows of an order that are kept for later pages: at least ten pages, at most this many. */
const MAX_LIST = 10_000;
const LIST_PAGES = 10;
const LIST_LEAST = 500;

/** What an engine found, with what it says of how it came to that. */
export interface NotedFound extends EngineFound {
  readonly notes?: readonly string[];
}

export interface Page {
  readonly rows: readonly EngineRow[];
  readonly more: boolean;
  readonly matched: number | null;
  readonly denied: number | null;
  readonly sql: string;
  /** Whether the order may differ from that of the page before. */
  readonly orderChanged: boolean;
  readonly cursorUsed: boolean;
  readonly cursorInvalidated: boolean;
  readonly notes: readonly string[];
  /** Milliseconds of the stages of the engine, where it has some. */
  readonly spent?: EngineSpent | undefined;
  /** How many rows words found, where the engine joins these with others. */
  readonly byWords?: number | undefined;
  readonly facets?: EngineFacets | undefined;
}

/** A page, the engine that it is from, and what the engine was asked. */
export interface ServedPage {
  readonly engine: MessageEngine;
  readonly request: PageRequest;
  readonly page: Page;
}

/** What an answer says beside the rows of its page. */
export interface PageExtras {
  /** `undefined` for other kinds, and when they could not be read. */
  readonly recipients: ReadonlyMap<number, MessageRecipients> | undefined;
  /** Excerpts of the rows; `undefined` when nobody asked, or they could not be made. */
  readonly excerpts: ReadonlyMap<number, Excerpt> | undefined;
  /** Rows that match and were left out, for an operator's audit; only beside a first page. */
  readonly denied: readonly EngineRow[];
  /** What could not be found out. */
  readonly faults: readonly string[];
}

type Answer<T> = EngineAnswer<T>;

/** The answer of an engine; one that throws has failed, no more. */
export async function catchEngineErrors<T>(ask: () => Promise<EngineAnswer<T>>): Promise<EngineAnswer<T>> {
  try {
    return await ask();
  } catch (error) {
    return { ok: false, error: { kind: 'engine_error', message: messageOf(error) } };
  }
}

/**
 * One page of an order. Newest first and by id, a page goes on after the last row of the one before, so that mail that
 * comes and goes neither repeats nor hides a row. By relevance every change of the mail may change the order, so it goes on
 * in the order that the first page was made from while that is kept, and else after the place that its last row has now.
 */
export async function pageOf(engine: MessageEngine, request: PageRequest, token: string | null, lists: OrderLists): Promise<Answer<Page>> {
  const { cursor, notes } = readToken(token, engine);
  if (cursor === undefined) return frontPage(engine, request, lists, { notes, cursorInvalidated: notes.includes(FOREIGN) });
  const list = request.order === 'relevance' ? lists.find(keyOf(engine, request)) : undefined;
  const index = list?.indexOf(Number(cursor.id)) ?? -1;
  if (list !== undefined && index >= 0) return listedPage(engine, request, list, index + 1);
  return resumedPage(engine, request, cursor, lists);
}

/** Token of the page after this row. */
export function tokenAfter(row: EngineRow, order: EngineRequest['order'], engine: MessageEngine, retry?: RetryBy): string {
  return encodeCursor({ score: order === 'newest' ? (row.created_ts ?? 0) : row.score, id: BigInt(row.id), engine: engine.tag, retry });
}

const FOREIGN = 'the cursor is of another engine: this is the first page';
const UNREADABLE = 'the cursor is no token of ours: this is the first page';
const LOST = 'the row of the cursor is gone and its score means nothing here: this is the first page';

function readToken(token: string | null, engine: MessageEngine): { cursor: SearchCursor | undefined; notes: readonly string[] } {
  if (token === null || token === '') return { cursor: undefined, notes: [] };
  const cursor = decodeCursor(token);
  if (cursor === undefined) return { cursor, notes: [UNREADABLE] };
  const foreign = cursor.engine !== undefined && cursor.engine !== engine.tag;
  return foreign ? { cursor: undefined, notes: [FOREIGN] } : { cursor, notes: [] };
}

async function frontPage(
  engine: MessageEngine,
  request: PageRequest,
  lists: OrderLists,
  told: { notes: readonly string[]; cursorInvalidated: boolean },
): Promise<Answer<Page>> {
  const list = request.order === 'relevance' ? Math.min(MAX_LIST, Math.max(LIST_LEAST, request.limit * LIST_PAGES)) : 0;
  const found = await engine.find({ ...request, after: null, list });
  if (!found.ok) return found;
  if (found.value.more && found.value.list !== null) lists.keep(keyOf(engine, request), found.value.list, found.value.version);
  return page(found.value, { orderChanged: false, cursorUsed: false, ...told });
}

async function resumedPage(engine: MessageEngine, request: PageRequest, cursor: SearchCursor, lists: OrderLists): Promise<Answer<Page>> {
  const after = { score: cursor.score, id: cursor.id, tagged: cursor.engine !== undefined };
  const found = await engine.find({ ...request, offset: 0, after, list: 0 });
  if (!found.ok) return found;
  if (found.value.resumed === 'lost') return frontPage(engine, { ...request, offset: 0 }, lists, { notes: [LOST], cursorInvalidated: true });
  return page(found.value, { orderChanged: request.order === 'relevance', cursorUsed: true, cursorInvalidated: false, notes: [] });
}

/** From `start` of a kept order: the rows that are still there and may still be seen; beyond its end as things are now. */
async function listedPage(engine: MessageEngine, request: PageRequest, list: OrderList, start: number): Promise<Answer<Page>> {
  const rows: EngineRow[] = [];
  for (let at = start; at < list.length && rows.length <= request.limit; at += request.limit + 1) {
    const ids = list.idsFrom(at, request.limit + 1);
    const found = await engine.rows({ ...request, ids });
    if (!found.ok) return found;
    const byId = new Map(found.value.map((row) => [row.id, row]));
    rows.push(...ids.flatMap((id) => withScore(byId.get(id), list)));
  }
  if (rows.length > request.limit || list.whole) return page({ ...NO_COUNTS, rows: rows.slice(0, request.limit), more: rows.length > request.limit }, QUIET);
  const rest = await beyond(engine, request, list, request.limit - rows.length);
  if (!rest.ok) return rest;
  const { value } = rest;
  const told = { ...QUIET, orderChanged: value.version !== list.version };
  return page(
    { ...value, rows: [...rows, ...value.rows.slice(0, request.limit - rows.length)], more: value.more || value.rows.length > request.limit - rows.length },
    told,
  );
}

/** The rows after the last one of a kept order. `room` may be 0: whether there are more must be known all the same. */
async function beyond(engine: MessageEngine, request: PageRequest, list: OrderList, room: number): Promise<Answer<EngineFound>> {
  const [last] = list.idsFrom(list.length - 1, 1);
  const id = last ?? 0;
  const after = { score: list.scoreOf(id).score, id: BigInt(id), tagged: true };
  return engine.find({ ...request, offset: 0, limit: Math.max(1, room), after, list: 0 });
}

const NO_COUNTS = { matched: null, denied: null, sql: '' };
const QUIET = { orderChanged: false, cursorUsed: true, cursorInvalidated: false, notes: [] };

function withScore(row: EngineRow | undefined, list: OrderList): EngineRow[] {
  return row === undefined ? [] : [{ ...row, ...list.scoreOf(row.id) }];
}

function page(
  {
    rows,
    more,
    matched,
    denied,
    sql,
    spent,
    byWords,
    facets,
    notes = [],
  }: Pick<NotedFound, 'rows' | 'more' | 'matched' | 'denied' | 'sql' | 'spent' | 'byWords' | 'facets' | 'notes'>,
  told: Pick<Page, 'orderChanged' | 'cursorUsed' | 'cursorInvalidated' | 'notes'>,
): Answer<Page> {
  return { ok: true, value: { rows, more, matched, denied, sql, spent, byWords, facets, ...told, notes: [...told.notes, ...notes] } };
}

/** One order for one set: the same words, filters, viewers and threshold. */
function keyOf(engine: MessageEngine, { kind, match, filters, scope, min_score, fusion }: PageRequest): string {
  return JSON.stringify([engine.name, kind, match, filters, scope, min_score, fusion]);
}

const NO_EXTRAS: PageExtras = { recipients: undefined, excerpts: undefined, denied: [], faults: [] };

/** Denied rows that an audit names; `denied_count` counts all of them. */
const MAX_AUDIT = 100;

/** Reads who got the messages of a page, at once or from another host. */
export type AskRecipients = (ask: RecipientsRequest) => ReturnType<ReadRecipients> | Promise<ReturnType<ReadRecipients>>;

interface ExtrasParts {
  readonly recipients: AskRecipients;
  /** `undefined`: nobody asked for excerpts. */
  readonly excerpts: MakeExcerpts | undefined;
}

/** Recipients, excerpts and denied rows are worth less than the page: what fails here is said and left out. */
export async function pageExtras(served: ServedPage | null, viewer: SearchViewer, parts: ExtrasParts): Promise<PageExtras> {
  if (served === null) return NO_EXTRAS;
  const recipients = await recipientsOf(served, parts.recipients);
  const excerpts = await excerptsOf(served, parts.excerpts);
  const denied = await deniedRows(served, viewer);
  return {
    recipients: recipients?.ok === true ? recipients.value : undefined,
    excerpts: excerpts?.ok === true ? excerpts.value : undefined,
    denied: denied?.ok === true ? denied.value.rows : [],
    faults: [recipients, excerpts, denied].flatMap((answer) => (answer === undefined || answer.ok ? [] : [answer.error.message])),
  };
}

async function recipientsOf({ request: { kind, scope, now_us }, page: { rows } }: ServedPage, read: AskRecipients) {
  if (kind !== 'message' || rows.length === 0) return undefined;
  return catchEngineErrors(async () => ({ ok: true, value: await read({ ids: rows.map(({ id }) => id), scope, now_us }) }));
}

/** Rows that are redacted have none. */
async function excerptsOf({ request: { match }, page: { rows } }: ServedPage, make: MakeExcerpts | undefined) {
  if (make === undefined || rows.length === 0) return undefined;
  const seen = rows.filter(({ visible }) => visible);
  return catchEngineErrors(async () => ({ ok: true, value: make(seen, match) }));
}

/** Only who may see everything is told what a scope that they asked for hides, and nobody is told it again on every page. */
async function deniedRows({ engine, request, page: { denied, cursorUsed } }: ServedPage, viewer: SearchViewer) {
  const { kind, scope } = request;
  if (viewer !== null || kind !== 'message' || scope.viewers.length === 0 || scope.keep_denied || cursorUsed || denied === 0) return undefined;
  const set = { ...request, scope: { ...scope, only_denied: true as const }, min_score: null, facets: false, bodies: false };
  return catchEngineErrors(async () => engine.find({ ...set, offset: 0, limit: MAX_AUDIT, count: false, after: null, list: 0 }));
}
