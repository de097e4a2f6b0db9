import type { ServerResponse } from 'node:http';
import { type Asked, answerOk, type HttpProvider, httpTool, startHttpProvider } from '../../support/http-provider.ts';
import { type Ambush, createAmbush } from './ambush.ts';
import type { Heard } from './world.ts';

export const TOOL = 'torture.http';

/** A provider that counts what it hears and heeds no Idempotency-Key. A request names itself by `n`, `<name>` or `<name>!<refusals>`. */
export interface Provider extends AsyncDisposable {
  readonly tool: ReturnType<typeof httpTool>;
  readonly heard: readonly Heard[];
  /** Requests that are answered a while later, so that their workers may die meanwhile. */
  slowMs: number;
  /** Done when the next request has been heard, before it is answered. */
  readonly ambush: Ambush;
}

/** How the provider answers: `refusals` times 503 before it does what it is asked; one that is to be cut is heard and hung up on. */
export async function startProvider(): Promise<Provider> {
  const heard: Heard[] = [];
  const refused = new Map<string, number>();
  const answer = (asked: Asked, response: ServerResponse): void => {
    const n = String((asked.body as { readonly n?: unknown }).n);
    const wanted = Number(n.split('!')[1] ?? 0);
    const sofar = refused.get(n) ?? 0;
    const status = sofar < wanted ? 503 : 200;
    if (status === 503) refused.set(n, sofar + 1);
    heard.push({ path: asked.path, key: asked.key ?? '', n, status, at: Date.now() });
    provider.ambush.spring();
    const say = (): void => (status === 200 ? answerOk(asked, response) : void response.writeHead(503).end('later'));
    setTimeout(say, provider.slowMs);
  };
  const server: HttpProvider = await startHttpProvider(answer);
  const provider: Provider = {
    tool: httpTool(TOOL, server.url, { send: 'once', put: 'idempotent' }),
    heard,
    slowMs: 0,
    ambush: createAmbush(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return provider;
}
