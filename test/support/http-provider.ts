import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What a provider was asked, in the order of arrival. */
export interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: unknown;
}

/** A real HTTP server of a test, which counts what it is asked and ignores Idempotency-Key. */
export interface HttpProvider extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** @param answer writes the response; JSON `{"ok":true}` unless given */
export async function startHttpProvider(answer: (asked: Asked, response: ServerResponse) => void = answerOk): Promise<HttpProvider> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const one = { path: request.url ?? '', key: request.headers['idempotency-key']?.toString(), body };
      asked.push(one);
      answer(one, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function answerOk(_asked: Asked, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json').end('{"ok":true}');
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Definition and binding of a tool with POST actions, each at `/<action>` of the provider. */
export function httpTool(ref: string, url: string, actions: Readonly<Record<string, 'none' | 'idempotent' | 'once'>>, changes: object = {}) {
  const { host } = new URL(url);
  const entries = Object.entries(actions);
  return {
    definition: { id: ref, version: '1.0.0', categories: ['test'], actions: entries.map(([name]) => ({ name, input: ['n'], output: 'ok' })) },
    binding: {
      tool: ref,
      adapter: 'http',
      ...changes,
      http: { hosts: [host], allow: ['127.0.0.1'] },
      actions: Object.fromEntries(
        entries.map(([name, effect]) => [name, { effect, request: { method: 'POST', url: `${url}/${name}`, body: { n: '{{params.n}}' } } }]),
      ),
    },
  };
}
