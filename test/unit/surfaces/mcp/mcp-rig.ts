import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { ROLES, type Role } from '../../../../src/contracts/index.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { WritError } from '../../../../src/core/errors.ts';
import { createMcpServer } from '../../../../src/surfaces/mcp/server.ts';
import type { McpServices } from '../../../../src/surfaces/mcp/services.ts';
import { TOOLS } from '../../../../src/surfaces/mcp/tools/table.ts';

/** What a tool answered, as a client sees it. */
export interface Told {
  readonly isError: boolean;
  readonly answer: unknown;
}

export interface McpRig extends AsyncDisposable {
  readonly client: Client;
  /** Tool and error of every failure of our own. */
  readonly reported: string[];
  tools(): Promise<readonly Tool[]>;
  call(name: string, args?: object): Promise<Told>;
}

const away = async (): Promise<never> => {
  throw new WritError('REDIS_UNAVAILABLE', 'Redis does not answer');
};

/** Nobody is there. */
export const SERVICES_AWAY: McpServices = {
  version: '0.0.0-test',
  clock: systemClock,
  maxWaitS: 20,
  regrantByDefault: true,
  tasks: away,
  plans: away,
  queues: away,
  contentSearch: away,
  contentIndex: away,
  messageSearch: away,
  kernel: away,
  signatures: away,
  audit: away,
};

/** The SDK's client in one process with our server; services that are not given are away. */
export async function startMcp(services: Partial<McpServices> = {}, roles: readonly Role[] = ROLES): Promise<McpRig> {
  const reported: string[] = [];
  const server = createMcpServer({
    tools: TOOLS,
    services: { ...SERVICES_AWAY, ...services },
    caller: { name: 'tester', roles: new Set(roles) },
    report: (error, tool) => void reported.push(`${tool}: ${String(error)}`),
  });
  const client = new Client({ name: 'test', version: '1' }, { jsonSchemaValidator: compiledOnce });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  // From now on the client holds every answer against the schema of its tool.
  await client.listTools();
  return {
    client,
    reported,
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => toldBy(await client.callTool({ name, arguments: { ...args } })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const ajv = new AjvJsonSchemaValidator();
const compiled = new Map<string, JsonSchemaValidator<unknown>>();

/** The SDK's own validator; the schemas of our tools are compiled once for all clients. */
const compiledOnce: jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType) {
    const key = JSON.stringify(schema);
    const validator = compiled.get(key) ?? ajv.getValidator<unknown>(schema);
    compiled.set(key, validator);
    return validator as JsonSchemaValidator<T>;
  },
};

/** Both forms of an answer say the same; a refusal has the text alone. */
export function toldBy({ isError, content, structuredContent }: Awaited<ReturnType<Client['callTool']>>): Told {
  const [first] = content as readonly { readonly text: string }[];
  const answer = JSON.parse(first?.text ?? 'null') as unknown;
  if (isError !== true && JSON.stringify(answer) !== JSON.stringify(structuredContent)) throw new Error('text and structure differ');
  if (isError === true && structuredContent !== undefined) throw new Error('a refusal has structured content');
  return { isError: isError === true, answer };
}
