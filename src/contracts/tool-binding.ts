import { z } from 'zod';
import { BOUNDS } from './bounds.ts';
import { PROVIDER_PATTERN, TOOL_REF_PATTERN } from './tool-call.ts';

/**
 * A binding says how one tool reaches the world from this host: `config/tool-bindings/<tool>.json`. It is configuration
 * of a host and never part of an envelope, so nobody who may submit a plan can name an address, a command or a secret.
 * What a schema cannot say (hosts of URLs, placeholders) is judged where the file is read.
 */

/** What a repeated request does. `once`: its intent is journalled first, and it is never sent again by itself. */
export const ToolEffect = z.enum(['none', 'idempotent', 'once']);

/** Where a secret lies; read anew for every request. */
const SecretReference = z.string().regex(/^(file:\/.+|env:[A-Za-z_][A-Za-z0-9_]*)$/, 'must be file:<absolute path> or env:<NAME>');
const SecretName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be 1 to 64 of a-z 0-9 _ and start with a letter');
const Secrets = z.record(SecretName, SecretReference).meta({ description: 'Secrets by name, for {{secrets.<name>}} in templates.' });

const AbsolutePath = z.string().regex(/^\//, 'must be an absolute path').max(4096);
const Template = z.string().max(16_384);
const Bytes = z.int().min(1024).max(BOUNDS.toolResponseMost);
const Allowed = z
  .array(z.string().min(1).max(255))
  .max(256)
  .meta({ description: 'Hosts and CIDR ranges that may be private, loopback, or spoken to in plain HTTP.' });
const Operation = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'must be 1 to 128 of A-Z a-z 0-9 . _ -');
const HeaderName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'must be a header name');

const tool = z.string().regex(TOOL_REF_PATTERN, 'must be 1 to 128 of a-z 0-9 . _ - and start with a letter or digit');
const common = {
  tool,
  provider: z.string().regex(PROVIDER_PATTERN, 'must be 1 to 32 of a-z 0-9 -').optional().meta({ description: 'Its tools share the queue tool-<provider>.' }),
  concurrency: z.int().min(1).max(4096).optional().meta({ description: 'Calls at a time in one worker: 256 for http, 8 for mcp by default.' }),
  timeout_ms: z
    .int()
    .min(10)
    .max(15 * 60_000)
    .optional()
    .meta({ description: 'Wall-clock limit of one call; 30 s by default.' }),
};

export const HttpAction = z.strictObject({
  effect: ToolEffect.optional().meta({ description: 'once by default.' }),
  request: z.strictObject({
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: z.string().min(1).max(8192).meta({ description: 'https://host[:port]/path; placeholders only in segments of the path.' }),
    query: z.record(z.string().min(1).max(256), Template).optional(),
    headers: z.record(HeaderName, Template).optional(),
    body: z.json().optional().meta({ description: 'JSON; a string that is one placeholder becomes the whole value.' }),
  }),
  response: z
    .strictObject({ data: z.string().min(1).max(1024).optional().meta({ description: 'Dotted path of the part of a JSON answer that becomes the data.' }) })
    .optional(),
});
export type HttpAction = z.infer<typeof HttpAction>;

export const HttpBinding = z.strictObject({
  ...common,
  adapter: z.literal('http'),
  http: z.strictObject({
    hosts: z.array(z.string().min(1).max(255)).min(1).max(64).meta({ description: 'host or host:port; no other host is ever asked.' }),
    allow: Allowed.optional(),
    response_max_bytes: Bytes.optional().meta({ description: '1,000,000 by default. The data of a result has a bound of its own.' }),
    secrets: Secrets.optional(),
    ca_file: AbsolutePath.optional().meta({ description: 'PEM file of a certificate authority that is trusted beside the well-known ones.' }),
  }),
  actions: z.record(Operation, HttpAction),
});
export type HttpBinding = z.infer<typeof HttpBinding>;

export const McpAction = z.strictObject({
  effect: ToolEffect.optional().meta({ description: 'once by default.' }),
  name: z.string().min(1).max(256).optional().meta({ description: "Name of the server's tool; the operation by default." }),
});

const mcpCommon = { secrets: Secrets.optional(), response_max_bytes: Bytes.optional() };

/** An MCP server that is started as a process, without a shell. */
export const McpProcess = z.strictObject({
  ...mcpCommon,
  command: AbsolutePath,
  args: z.array(z.string().max(4096)).max(64).optional(),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be of A-Z a-z 0-9 _ and not start with a digit'), Template)
    .optional()
    .meta({ description: 'The whole environment beside PATH, HOME, LANG and TZ; {{secrets.<name>}} is filled in.' }),
  cwd: AbsolutePath.optional(),
});
export type McpProcess = z.infer<typeof McpProcess>;

/** An MCP server behind streamable HTTP, reached by the address rules of http tools. */
export const McpUrl = z.strictObject({
  ...mcpCommon,
  url: z.string().min(1).max(8192),
  headers: z.record(HeaderName, Template).optional(),
  allow: Allowed.optional(),
  ca_file: AbsolutePath.optional(),
});
export type McpUrl = z.infer<typeof McpUrl>;

export const McpBinding = z.strictObject({
  ...common,
  adapter: z.literal('mcp'),
  mcp: z.union([McpProcess, McpUrl]),
  actions: z.record(Operation, McpAction),
});
export type McpBinding = z.infer<typeof McpBinding>;

/** A tool whose actions are capabilities of Writ itself. */
export const WritBinding = z.strictObject({ tool, adapter: z.literal('writ') });

export const ToolBinding = z.discriminatedUnion('adapter', [WritBinding, HttpBinding, McpBinding]);
export type ToolBinding = z.infer<typeof ToolBinding>;

/** The provider of a bound tool; without a name of its own it is the tool's, in the letters of queue names. */
export function providerOf({ tool, provider }: HttpBinding | McpBinding): string {
  return provider ?? tool.replace(/[._]/g, '-');
}

/** What a binding that says nothing gets. */
export const PROVIDER_DEFAULTS = {
  http: { concurrency: 256, timeoutMs: 30_000 },
  mcp: { concurrency: 8, timeoutMs: 30_000 },
} as const satisfies Record<Exclude<ToolBinding['adapter'], 'writ'>, object>;
