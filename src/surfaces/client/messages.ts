import { WritConnectionError } from './errors.ts';
import type { MessageOp, MessageReceipt, MessageReport, MessageSearchAnswer, MessageSearchQuery } from './message-types.ts';
import { randomId } from './random-id.ts';
import type { CallOptions, WaitOptions } from './tasks.ts';
import type { Transport } from './transport.ts';

/** The end of a change of messages: stored, with `wait`, or only queued. */
export type ChangedMessages = { readonly stored: true; readonly report: MessageReport } | { readonly stored: false; readonly receipt: MessageReceipt };

/** Messages of agents (docs/message-search.md, docs/messages-import.md). */
export interface MessagesApi {
  /** One page; `next_cursor` of its answer is the `cursor` of the next. Needs the role `search`. */
  search(query: MessageSearchQuery, options?: CallOptions): Promise<MessageSearchAnswer>;
  /** Every page of a search, result by result. @throws WritConnectionError when the server runs out of time for a page again and again */
  searchAll(query: MessageSearchQuery, options?: CallOptions): AsyncGenerator<MessageSearchAnswer['results'][number], void>;
  /** Sends up to 1,000 operations; needs the role `ingest`. Messages without a key get one here, so that it may be repeated. */
  ingest(ops: readonly MessageOp[], options?: WaitOptions): Promise<ChangedMessages>;
  /** Deletes a message by its id; one that is not there is no error. Needs the role `ingest`. */
  delete(id: number, options?: WaitOptions): Promise<ChangedMessages>;
  /** Builds the full text again; searches use the old one until then. Needs the role `operate`. */
  rebuild(options?: WaitOptions): Promise<ChangedMessages>;
}

/** How often `searchAll` asks for one page. */
const MAX_TRIES = 3;
/** Seconds that the server may take for a search; then it ends the search and answers degraded. */
const SEARCH_S = 30;

export function createMessages(transport: Transport): MessagesApi {
  const search: MessagesApi['search'] = async (query, { signal } = {}) =>
    (await transport.json<MessageSearchAnswer>({ method: 'POST', path: '/v1/messages/search', json: query, patienceS: SEARCH_S, signal, repeatable: true }))
      .body;

  /** A page that was searched: one whose time ran out is asked for again, and is not taken for the last one. */
  async function answered(query: MessageSearchQuery, options?: CallOptions): Promise<MessageSearchAnswer> {
    for (let tries = 1; ; tries += 1) {
      const page = await search(query, options);
      if (!isUnanswered(page, query)) return page;
      if (tries === MAX_TRIES)
        throw new WritConnectionError(`the server could not search a page in ${tries} tries: ${page.diagnostics?.remediation_hints?.join(' ') ?? ''}`);
    }
  }

  /** Changes messages. Every such request does the same when it is sent twice. */
  async function change(method: 'POST' | 'DELETE', path: string, { wait, signal }: WaitOptions, json?: object): Promise<ChangedMessages> {
    const { status, body } = await transport.json<unknown>({ method, path, json, wait, signal, repeatable: true });
    return status === 200 ? { stored: true, report: body as MessageReport } : { stored: false, receipt: body as MessageReceipt };
  }

  return {
    search,
    async *searchAll(query, options) {
      let cursor = query.cursor;
      for (;;) {
        const page = await answered({ ...query, cursor }, options);
        yield* page.results;
        cursor = page.next_cursor;
        if (cursor === undefined) return;
      }
    },
    ingest: (ops, options = {}) => change('POST', '/v1/messages', options, { ops: ops.map(withKey) }),
    delete: (id, options = {}) => change('DELETE', `/v1/messages/${id}`, options),
    rebuild: (options = {}) => change('POST', '/v1/messages/rebuild', options),
  };
}

/** Its token is that of the query; a first page has none, and tells neither what was found nor what else to try. */
function isUnanswered({ next_cursor, diagnostics, guidance }: MessageSearchAnswer, { cursor }: MessageSearchQuery): boolean {
  if (typeof cursor === 'string' && cursor !== '') return next_cursor === cursor;
  return diagnostics?.budget_exhausted === true && guidance !== undefined && guidance.suggestions === undefined;
}

function withKey(op: MessageOp): MessageOp {
  return op.op === 'message' && op.key === undefined ? { ...op, key: `client:${randomId()}` } : op;
}
