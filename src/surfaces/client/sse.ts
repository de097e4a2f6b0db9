import { linesOf } from './lines.ts';

/** An element of a stream of server-sent events. `alive`: a comment, which only shows that the stream lives. */
export type ServerSent =
  | { readonly kind: 'event'; readonly event: string; readonly data: string; readonly id: string | undefined }
  | { readonly kind: 'retry'; readonly ms: number };

/** Reads server-sent events (HTML, 9.2.6). An event that the end of the stream cuts off is dropped, as the standard asks. */
export async function* serverSentOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSent> {
  let event = '';
  let data: string[] = [];
  let id: string | undefined;
  for await (const line of linesOf(chunks, { loneCr: true })) {
    if (line === '') {
      if (data.length > 0) yield { kind: 'event', event: event || 'message', data: data.join('\n'), id };
      event = '';
      data = [];
      continue;
    }
    const [field, value] = fieldOf(line);
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) yield { kind: 'retry', ms: Number(value) };
  }
}

/** Name and value of a line. A comment has the empty name. */
function fieldOf(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
