import { z } from 'zod';
import { SearchQuery } from '../../../contracts/index.ts';
import type { MessageQuestion, MessageQuestions } from '../../../core/ports/message-search.ts';

/** What travels on the socket of message search: one JSON object a line, in both directions. */

/** Name of the socket in the directory of the messages. */
export const SEARCH_SOCKET = 'search.sock';

/** Said to everybody who connects: somebody listens, and is not stopped. */
export const HELLO = '{"id":0}\n';

const KEY = z.string().max(4096);
const GRANT = z.strictObject({ agent: z.string().nullable(), projects: z.array(z.string()).nullable() });
const VIEWER = z.union([z.strictObject({ project_id: z.int(), agent_id: z.int() }), z.strictObject({ grant: GRANT })]).nullable();

/** The questions with the names of their arguments, in the order of the port. */
const ARGS = {
  search: { query: SearchQuery.extend({ bodies: z.boolean().optional() }), viewer: VIEWER },
  project: { key: KEY, viewer: VIEWER },
  product: { key: KEY, viewer: VIEWER },
} satisfies Record<MessageQuestion, Record<string, z.ZodType>>;

const BASE = { id: z.int().min(0), settings: z.string().max(4096) };
const QUESTION = z.union(Object.entries(ARGS).map(([op, args]) => z.strictObject({ ...BASE, op: z.literal(op as MessageQuestion), ...args })));

/** `settings` are those of whoever asks: an answer is only for the same ones. */
export type SocketQuestion = z.infer<typeof QUESTION>;

/** Without `value`: the other side has other settings, or could not answer. */
const REPLY = z.object({ id: z.int().min(0), value: z.unknown().optional() });
export type SocketReply = z.infer<typeof REPLY>;

/** A question as it travels. */
export function socketQuestion(base: Pick<SocketQuestion, 'id' | 'settings'>, op: MessageQuestion, args: readonly unknown[]): object {
  return { ...base, op, ...Object.fromEntries(Object.keys(ARGS[op]).map((name, index) => [name, args[index]])) };
}

/** Asks a search what was read; the schema has checked the arguments. */
export function answerOf(search: MessageQuestions, question: SocketQuestion): Promise<unknown> {
  const args = Object.keys(ARGS[question.op]).map((name) => (question as Readonly<Record<string, unknown>>)[name]);
  return (search[question.op] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
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
