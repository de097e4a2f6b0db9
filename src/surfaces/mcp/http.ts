import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createMcpServer, type McpOptions } from './server.ts';

/** One POST of the streamable HTTP transport. */
export interface McpPost {
  /** The parsed body: one JSON-RPC message, or a batch of them. */
  readonly message: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface McpReply {
  readonly status: number;
  /** A JSON document; `undefined` for a message that wants no answer. */
  readonly body: string | undefined;
  readonly type: string | undefined;
}

/**
 * Answers one message without a session: every request carries its key, and nothing is kept between two of them. There is no
 * stream of the server's own, so GET and DELETE are not offered.
 */
export async function answerPost({ message, headers, signal }: McpPost, options: McpOptions): Promise<McpReply> {
  const server = createMcpServer(options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const gone = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
  try {
    await server.connect(transport);
    // The address says nothing here: who may come to it was judged before.
    const request = new Request('http://mcp.invalid/mcp', { method: 'POST', headers });
    const response = await Promise.race([transport.handleRequest(request, { parsedBody: message }), gone]);
    if (response === undefined) return { status: 202, body: undefined, type: undefined };
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : text, type: response.headers.get('content-type') ?? undefined };
  } finally {
    // Aborts what still runs when the client has gone.
    await server.close();
  }
}
