import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../../../src/surfaces/client/body.ts';

/** An answer of a browser whose streams are no async iterables. */
function answer(pieces: readonly string[], seen: { cancelled?: boolean } = {}): Response {
  const rest = [...pieces];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = rest.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(piece));
    },
    cancel() {
      seen.cancelled = true;
    },
  });
  Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined });
  return new Response(stream);
}

describe('the body of an answer', () => {
  it('is read without the iterator that some browsers lack', async () => {
    let text = '';
    for await (const piece of piecesOf(answer(['one ', 'two']))) text += new TextDecoder().decode(piece);
    expect(text).toBe('one two');
  });

  it('is nothing where there is none', async () => {
    for await (const piece of piecesOf(new Response(null))) throw new Error(`a piece of ${piece.length}`);
  });

  it('is given up by who leaves it', async () => {
    const seen = {};
    for await (const _ of piecesOf(answer(['one', 'two', 'three'], seen))) break;
    expect(seen).toEqual({ cancelled: true });
  });

  it('throws what breaks it', async () => {
    const broken = new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('cut off')) }));
    await expect(piecesOf(broken).next()).rejects.toThrow('cut off');
  });
});
