/** The data of server-sent events, in order; other fields are nobody's business here. Bytes come in any pieces. */
export async function* eventData(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!\n|$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        const text = data.join('\n');
        data = [];
        // Servers begin a stream with an event without data, for resumptions.
        if (text !== '') yield text;
      } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
  }
}
