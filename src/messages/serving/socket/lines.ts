import { z } from 'zod';
import { SearchQuery } from '../../../contracts/index.ts';
import type { MessageSearch, SearchViewer } from '../../../core/ports/message-search.ts';

/** What travels on the socket of message search: one JSON object a line, in both directions. */

/** Name of the socket in the directory of the messages. */
export const SEARCH_SOCKET = 'search.sock';

/** Said to everybody who connects: somebody listens, and is not stopped. */
export const HELLO = '{"id":0}\n';

/** What may be asked, with its arguments. */
export type SocketCall =
  | { readonly op: 'search'; readonly query: SearchQuery; readonly viewer: SearchViewer }
  | { readonly op: 'project' | 'product'; readonly key: string };

const BASE = { id: z.int().min(0), settings: z.string().max(4096) };
const KEY = z.string().max(4096);
const VIEWER = z.strictObject({ project_id: z.int(), agent_id: z.int() }).nullable();

const QUESTION = z.discriminatedUnion('op', [
  z.strictObject({ ...BASE, op: z.literal('search'), query: SearchQuery, viewer: VIEWER }),
  z.strictObject({ ...BASE, op: z.literal('project'), key: KEY }),
  z.strictObject({ ...BASE, op: z.literal('product'), key: KEY }),
]);

/** `settings` are those of whoever asks: an answer is only for the same ones. */
export type SocketQuestion = SocketCall & { readonly id: number; readonly settings: string };

/** Without `value`: the other side has other settings, or could not answer. */
const REPLY = z.object({ id: z.int().min(0), value: z.unknown().optional() });
export type SocketReply = z.infer<typeof REPLY>;

/** What is asked of a search on the other side. */
export function answerOf(search: MessageSearch, call: SocketCall): Promise<unknown> {
  return call.op === 'search' ? search.search(call.query, call.viewer) : search[call.op](call.key);
}

export const readQuestion = (line: string): SocketQuestion | undefined => read(line, QUESTION);

/** The words in it are our own: the socket is nobody else's. */
export const readReply = (line: string): SocketReply | undefined => read(line, REPLY);

function read<T>(line: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
