import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { NDJSON } from '../body.ts';
import type { Answer } from '../route.ts';

/**
 * Answers with a stream of lines. What fails before the first line is thrown, so that it becomes a status of its own;
 * afterwards the generator tells about it in its last line. It is asked for more only while the client takes the answer,
 * and is ended when the client has gone.
 *
 * @param lines pieces of text, whole lines each
 */
export async function answerLines(reply: FastifyReply, lines: AsyncGenerator<string>): Promise<Answer> {
  const first = await lines.next();
  const all = async function* (): AsyncGenerator<string> {
    if (first.done === true) return;
    yield first.value;
    yield* lines;
  };
  // Also a client that went before the first line was sent ends the lines, so that they can tidy up.
  const stream = Readable.from(all()).once('close', () => void lines.return(undefined).catch(() => undefined));
  void reply.code(200).type(NDJSON).header('cache-control', 'no-store').send(stream);
  return 'sent';
}

export function linesOf(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
