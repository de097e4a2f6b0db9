/** The pieces of an answer's body. Not every browser iterates over a stream, so it is read by hand. Leaving the loop gives up the rest. */
export async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // A stream that is broken has nothing to give up.
    reader.cancel().catch(() => undefined);
  }
}
