/** The most characters of a line; no line of Writ is longer. */
const MAX_LINE_CHARS = 4 * 1024 * 1024;

/**
 * Lines of a UTF-8 byte stream, wherever its chunks are cut. Ends are LF, CRLF and, where `loneCr` (server-sent events), CR.
 * Text after the last end is yielded as well, unless it is empty.
 *
 * @throws Error for a line of more than 4 Mi characters
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, { loneCr = false }: { readonly loneCr?: boolean } = {}): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const end = loneCr ? /\r\n|\n|\r(?!$)/ : /\r?\n/;
  let rest = '';
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    const lines = (rest + text).split(end);
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > MAX_LINE_CHARS) throw new Error('the answer has a line without an end');
  }
  rest += decoder.decode();
  // A CR at the end may have been half of a CRLF; now it is known that nothing follows.
  const last = loneCr && rest.endsWith('\r') ? rest.slice(0, -1) : rest;
  if (last !== '' || last !== rest) yield last;
}
