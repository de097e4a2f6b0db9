import { z } from 'zod';
import type { BarrierAnswer } from '../../../core/ports/index.ts';

/**
 * What travels on an index host's socket: one JSON object a line, in both directions. A search that knows the overlay by its
 * number gets it only when it has changed.
 */

/** Name of the socket in the directory of an index. */
export const HOST_SOCKET = 'host.sock';

const id = z.number().int().nonnegative();

const REQUEST = z.union([
  z.strictObject({ id, barrier: z.number().int().nullable() }),
  z.strictObject({ id, status: z.literal(true) }),
  z.strictObject({ corrupt: z.string() }),
]);
export type BarrierRequest = z.infer<typeof REQUEST>;

const OVERLAY = z.strictObject({ files: z.array(z.string()), subtrees: z.array(z.string()) });

const HEAD = z.object({
  veto: z.string().nullable(),
  state: z.string(),
  reason: z.string().nullable(),
  guarantee: z.enum(['inotify', 'stat', 'none']),
  snapshot: z.object({ generation: z.number(), deltas: z.array(z.number()) }).nullable(),
  identity: z.object({
    uid: z.number(),
    gid: z.number(),
    groups: z.array(z.number()),
    readsAll: z.boolean().nullable(),
    userNamespace: z.string(),
    mountNamespace: z.string(),
    view: z.string(),
    policy: z.string(),
  }),
});

const REPLY = z.union([
  z.object({ id, answer: HEAD, version: z.number().int(), overlay: z.union([z.literal('same'), OVERLAY]) }),
  z.object({ id, status: z.string() }),
]);

/** The answer without the overlay, which has its own number. */
export type BarrierHead = Omit<BarrierAnswer, 'overlay'>;

export type BarrierReply =
  | { readonly id: number; readonly answer: BarrierHead; readonly version: number; readonly overlay: 'same' | BarrierAnswer['overlay'] }
  | { readonly id: number; readonly status: string };

export const readRequest = (line: string): BarrierRequest | undefined => read(line, (value) => REQUEST.safeParse(value).data);

/** The words in it are those of our own host: the socket is nobody else's. */
export const readReply = (line: string): BarrierReply | undefined =>
  read(line, (value) => (REPLY.safeParse(value).success ? (value as BarrierReply) : undefined));

function read<T>(line: string, judge: (value: unknown) => T | undefined): T | undefined {
  try {
    return judge(JSON.parse(line));
  } catch {
    return undefined;
  }
}
