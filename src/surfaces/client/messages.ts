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
  /** Every page of a search, result by result. */
  searchAll(query: MessageSearchQuery, options?: CallOptions): AsyncGenerator<MessageSearchAnswer['results'][number], void>;
  /** Sends up to 1,000 operations; needs the role `ingest`. Messages without a key get one here, so that it may be repeated. */
  ingest(ops: readonly MessageOp[], options?: WaitOptions): Promise<ChangedMessages>;
  /** Deletes a message by its id; one that is not there is no error. Needs the role `ingest`. */
  delete(id: number, options?: WaitOptions): Promise<ChangedMessages>;
  /** Builds the full text again; searches use the old one until then. Needs the role `operate`. */
  rebuild(options?: WaitOptions): Promise<ChangedMessages>;
}

/** Seconds that the server may take for a search; then it ends the search and answers degraded. */
const SEARCH_S = 30;

export function createMessages(transport: Transport): MessagesApi {
  const search: MessagesApi['search'] = async (query, { signal } = {}) =>
    (await transport.json<MessageSearchAnswer>({ method: 'POST', path: '/v1/messages/search', json: query, patienceS: SEARCH_S, signal, repeatable: true }))
      .body;

  /** Changes messages. Every such request does the same when it is sent twice. */
  async function change(method: 'POST' | 'DELETE', path: string, { wait, signal }: WaitOptions, json?: object): Promise<ChangedMessages> {
    const { status, body } = await transport.json<unknown>({ method, path, json, wait, signal, repeatable: true });
    return status === 200 ? { stored: true, report: body as MessageReport } : { stored: false, receipt: body as MessageReceipt };
  }

  return {
    search,
    async *searchAll(query, options) {
      let cursor = query.cursor;
      do {
        const page = await search({ ...query, cursor }, options);
        yield* page.results;
        cursor = page.next_cursor;
      } while (cursor !== undefined);
    },
    ingest: (ops, options = {}) => change('POST', '/v1/messages', options, { ops: ops.map(withKey) }),
    delete: (id, options = {}) => change('DELETE', `/v1/messages/${id}`, options),
    rebuild: (options = {}) => change('POST', '/v1/messages/rebuild', options),
  };
}

function withKey(op: MessageOp): MessageOp {
  return op.op === 'message' && op.key === undefined ? { ...op, key: `client:${randomId()}` } : op;
}
