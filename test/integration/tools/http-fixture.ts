import { createHttpTool, type HttpToolDeps, type OpenTool } from '../../../src/adapters/http-tool/index.ts';
import { HttpBinding } from '../../../src/contracts/index.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ToolAnswer } from '../../../src/core/ports/index.ts';
import { type Behaviour, type ToolServer, toolServer } from '../../support/tool-server.ts';

type Request = HttpBinding['actions'][string]['request'];

export interface Options {
  readonly request?: Partial<Request>;
  readonly http?: Partial<HttpBinding['http']>;
  readonly effect?: 'none' | 'idempotent' | 'once';
  readonly data?: string;
  readonly deps?: Partial<HttpToolDeps>;
  readonly host?: string;
  readonly secure?: boolean;
}

/** A tool with one action `op` at the server. */
export function toolAt(server: Pick<ToolServer, 'port'>, options: Options = {}): OpenTool {
  const host = options.host ?? '127.0.0.1';
  const binding = HttpBinding.parse({
    tool: 't',
    adapter: 'http',
    http: { hosts: [`${host}:${server.port}`], allow: ['127.0.0.1'], ...options.http },
    actions: {
      op: {
        effect: options.effect ?? 'once',
        request: { method: 'POST', url: `${options.secure ? 'https' : 'http'}://${host}:${server.port}/v1/items`, ...options.request },
        ...(options.data === undefined ? {} : { response: { data: options.data } }),
      },
    },
  });
  return createHttpTool(binding, { environment: (name) => ENVIRONMENT[name], ...options.deps });
}

export const ENVIRONMENT: Record<string, string> = { TOKEN: 'tok/en+"1234"', SHORT: 'abc' };

export async function call(
  { tool }: OpenTool,
  params: JsonObject = {},
  signal = new AbortController().signal,
): Promise<ToolAnswer | { kind: 'unfit' | 'unavailable'; message: string }> {
  const prepared = await tool.adapter.prepare({ taskId: 'task-1', operation: 'op', params }, signal);
  return prepared.kind === 'ready' ? prepared.send(signal) : prepared;
}

export async function once(
  behaviour: Behaviour,
  options: Options = {},
  params: JsonObject = {},
): Promise<{ answer: Awaited<ReturnType<typeof call>>; server: ToolServer }> {
  await using server = await toolServer(behaviour);
  const tool = toolAt(server, options);
  const answer = await call(tool, params);
  await tool.close();
  return { answer, server };
}
