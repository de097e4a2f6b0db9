import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isWritError, WritError } from '../../core/errors.ts';
import { listedTool } from './listing.ts';
import { answered, failed, failureOf } from './result.ts';
import type { McpCaller, McpServices } from './services.ts';
import type { AnyTool } from './tool.ts';

export interface McpOptions {
  readonly tools: readonly AnyTool[];
  readonly services: McpServices;
  readonly caller: McpCaller;
  /** Told of what is our own fault. */
  readonly report: (error: unknown, tool: string) => void;
}

const INSTRUCTIONS =
  'Writ runs leased, once-only file operations, searches and plans. A refusal is a result with isError whose text is {"code", "field", "message"}: ' +
  '`field` names the argument to mend. Tasks and plans may be submitted again with the same bytes: they have one effect and one answer.';

/**
 * Requests by their method alone: what the SDK itself finds wrong with one by its own schema it answers as a fault of the server.
 * `tools/call` it judges once more, and says that the caller is at fault.
 */
const CALL_TOOL = z.looseObject({ method: z.literal('tools/call') });
const LIST_TOOLS = z.looseObject({ method: z.literal('tools/list') });

/** A server for one caller, over any transport. It lists the tools that the caller's roles allow. */
export function createMcpServer(options: McpOptions): McpServer {
  const { tools, services, caller } = options;
  const mcp = new McpServer({ name: 'writ', title: 'Writ', version: services.version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  mcp.server.setRequestHandler(LIST_TOOLS, () => ({ tools: tools.filter((tool) => mayCall(tool, caller)).map(listedTool) }));
  mcp.server.setRequestHandler(CALL_TOOL, (request, { signal }) => {
    const { params } = CallToolRequestSchema.parse(request);
    const tool = toolNamed(params.name, tools);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${JSON.stringify(params.name.slice(0, 128))}`);
    return run(tool, params.arguments ?? {}, signal, options);
  });
  return mcp;
}

function toolNamed(name: string, tools: readonly AnyTool[]): AnyTool | undefined {
  return tools.find((tool) => tool.name === name || tool.aliases?.includes(name) === true);
}

function mayCall({ access }: AnyTool, { roles }: McpCaller): boolean {
  return access.some((role) => roles.has(role));
}

/** Nothing that a call can do ends as an error of the protocol. */
async function run(tool: AnyTool, input: unknown, signal: AbortSignal, { services, caller, report }: McpOptions): Promise<CallToolResult> {
  try {
    if (!mayCall(tool, caller)) throw new WritError('FORBIDDEN', `${tool.name} needs the role ${tool.access.join(' or ')}`);
    return answered(await tool.call({ input, caller, services, signal }));
  } catch (error) {
    const failure = failureOf(error);
    if (failure.code === 'INTERNAL' || !isWritError(error)) report(error, tool.name);
    return failed(failure);
  }
}
