import { setTimeout as delay } from 'node:timers/promises';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { JSONRPCRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ROLES } from '../../../../src/contracts/index.ts';
import { createMcpServer } from '../../../../src/surfaces/mcp/server.ts';
import { TOOLS } from '../../../../src/surfaces/mcp/tools/table.ts';
import { SERVICES_AWAY } from '../../../unit/surfaces/mcp/mcp-rig.ts';
import { type Boundary, FuzzFault, parsed, shown } from '../boundary.ts';

const PATIENCE_MS = 20_000;

/** Messages of the Model Context Protocol, to a server whose services are all away: only what the caller sent is judged. */
export const mcp: Boundary = {
  shape: 'json',
  what: 'messages of MCP: every tool, with services that are away',
  weight: 0.3,
  async open() {
    const faults: string[] = [];
    const server = createMcpServer({
      tools: TOOLS,
      services: { ...SERVICES_AWAY, maxWaitS: 0 },
      caller: { name: 'fuzz', roles: new Set(ROLES) },
      report: (error, tool) => void faults.push(`${tool}: ${stackOf(error)}`),
    });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    let hear: (message: unknown) => void = () => undefined;
    theirs.onmessage = (message) => hear(message);
    await Promise.all([server.connect(ours), theirs.start()]);
    const call = (name: string, args: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
    return {
      seeds: [
        ...TOOLS.map(({ name }) => call(name, {})),
        call('submit_task', { manifest: { task_id: 't', capability_id: 'FILE_MOVE', inputs: {}, constraints: {} }, sign: true, wait_s: 1 }),
        call('search_messages', { project_key: 'backend', query: 'plan', limit: 5 }),
        JSON.stringify({
          jsonrpc: '2.0',
          id: 2,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
        }),
        JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/list' }),
      ],
      words: [
        'jsonrpc',
        'id',
        'method',
        'params',
        'arguments',
        'name',
        '_meta',
        'progressToken',
        'cursor',
        'manifest',
        'envelope',
        'task_id',
        'plan_id',
        'filter',
        'limit',
        'wait_s',
        'query',
        'project_key',
        'notifications/cancelled',
        'tools/call',
      ],
      async run(input) {
        const message = parsed(input);
        // What is no request of JSON-RPC is refused by the transport.
        if (!isRequest(message)) return 'no request';
        const { method } = message as { method: string };
        const silence = new AbortController();
        const answer = new Promise<unknown>((resolve) => (hear = resolve));
        faults.length = 0;
        await theirs.send({ ...(message as object), id: 7 } as never);
        const told = await Promise.race([answer, delay(PATIENCE_MS, undefined, { signal: silence.signal }).catch(() => undefined)]);
        silence.abort();
        if (told === undefined) throw new FuzzFault('a request has no answer');
        const text = shown(JSON.stringify(told));
        // The SDK answers an `initialize` in this way that is none; whatever is ours must not.
        if (text.includes('"code":-32603') && method !== 'initialize') throw new FuzzFault(`an error of the server is answered: ${text.slice(0, 500)}`);
        if (faults.length > 0) throw new FuzzFault(faults.join('; '));
        if (text.includes('"code\\":\\"INTERNAL')) throw new FuzzFault(`INTERNAL is answered: ${text.slice(0, 500)}`);
        return /"error":\{"code":(-?\d+)/.exec(text)?.[1] ?? /\\"code\\":\\"([A-Z_]+)/.exec(text)?.[1] ?? 'ok';
      },
      close: () => server.close(),
    };
  },
};

/** As the transports judge a message before the server sees it. */
function isRequest(message: unknown): boolean {
  return JSONRPCRequestSchema.safeParse(message).success;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
