import { CallToolResultSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { assertIJson } from '../../core/i-json.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ToolAnswer, ToolRequest } from '../../core/ports/index.ts';
import { excerptOf } from '../http-tool/answer.ts';
import type { Scrubber } from '../http-tool/scrub.ts';
import { CallFailure } from './call-failure.ts';
import { isSaidByServer } from './said-by-server.ts';
import type { Connection } from './session.ts';

/** Longer than any limit of a binding: the signal ends a call. */
const NEVER_MS = 60 * 60_000;

/** Deeper data would not fit into the documents that carry it. */
const MAX_DEPTH = 20;

/** What the server's tool said; `sessionLost` asks for another try with a new session. */
export type CallAnswer = ToolAnswer & { readonly sessionLost?: boolean };

/** One call: the server's name of the tool, and the context that it is told, if any. */
export interface McpCall {
  readonly name: string;
  readonly request: ToolRequest;
  readonly traceparent: string | undefined;
}

/**
 * Calls a tool of an MCP server. The server's own list of tools is not asked: what may be called, and whether twice, is
 * what the binding says.
 */
export async function callTool(
  { client, use, lose }: Connection,
  { name, request: { taskId, params }, traceparent }: McpCall,
  scrub: Scrubber,
  signal: AbortSignal,
): Promise<CallAnswer> {
  const done = use();
  try {
    const _meta = { 'writ/idempotency-key': taskId, ...(traceparent === undefined ? {} : { traceparent }) };
    const request = { method: 'tools/call', params: { name, arguments: params, _meta } } as const;
    const result = await client.request(request, CallToolResultSchema, { signal, timeout: NEVER_MS });
    const texts = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    if (result.isError === true) return { kind: 'failed', message: sentence('the MCP server says that the call failed', texts.join(' '), scrub) };
    // What zod has read is JSON; whether it is JSON that everybody reads alike is asserted.
    const data = { content: result.content, ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent }) } as JsonObject;
    try {
      assertIJson(data, MAX_DEPTH);
    } catch {
      return { kind: 'unclear', message: 'the answer of the MCP server is not JSON that everybody reads alike' };
    }
    return { kind: 'ok', data: scrub.object(data) };
  } catch (error) {
    if (error instanceof CallFailure && error.sessionLost) lose();
    return endOf(error, scrub, signal);
  } finally {
    done();
  }
}

function endOf(error: unknown, scrub: Scrubber, signal: AbortSignal): CallAnswer {
  if (error instanceof CallFailure) return { kind: error.kind, message: error.message, sessionLost: error.sessionLost };
  if (signal.aborted) return { kind: 'unclear', message: 'the MCP server did not answer in time, or the call was stopped' };
  if (!(error instanceof McpError)) return { kind: 'unclear', message: 'the MCP server answered with what is no tool result' };
  if (!isSaidByServer(error)) return { kind: 'unclear', message: 'the MCP server ended before it answered' };
  return { kind: 'failed', message: sentence(`the MCP server answered with the error ${error.code}`, error.message, scrub) };
}

function sentence(what: string, said: string, scrub: Scrubber): string {
  const excerpt = excerptOf(said, scrub);
  return excerpt === '' ? what : `${what}: ${excerpt}`;
}
