import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Told, toldBy } from '../../../unit/surfaces/mcp/mcp-rig.ts';
import type { Site } from './routes-site.ts';

export interface McpOverHttp extends AsyncDisposable {
  call(name: string, args: object): Promise<Told>;
}

/** The SDK's client of the MCP server of an API, with one of its keys. */
export async function mcpOverHttp(site: Site, as: Parameters<Site['secret']>[0]): Promise<McpOverHttp> {
  const mcp = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${site.secret(as)}` };
  await mcp.connect(new StreamableHTTPClientTransport(new URL('/mcp', site.url), { requestInit: { headers } }));
  return {
    call: async (name, args) => toldBy(await mcp.callTool({ name, arguments: { ...args } })),
    [Symbol.asyncDispose]: () => mcp.close(),
  };
}
