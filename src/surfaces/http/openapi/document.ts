import { z } from 'zod';
import { ROLES } from '../../../contracts/index.ts';
import { PROBLEM_TYPE } from '../problem.ts';
import { type AnyRoute, route } from '../route.ts';
import { describeAccess } from '../security/roles.ts';
import { parametersOf, requestBody, schemasOf } from './operation-body.ts';
import { problemsByStatus } from './problems.ts';
import { type JsonSchema, type SchemaBook, schemaBook } from './schemas.ts';

/** Of the interface, not of the program: it changes when a caller must. */
const API_VERSION = '1.0.0';

const TAGS = {
  tasks: 'Push, follow, repeat, take back.',
  plans: 'Push and follow plans: many steps, each a task, under one lease.',
  queues: 'Look at queues, pause and resume them.',
  search: 'Search the contents of files, and the index for it.',
  leases: 'Permission to run exactly one manifest, or one plan.',
  schedules: 'Tasks at the times of a cron expression.',
  keys: 'Public keys that verify results.',
  events: 'Changes as they happen.',
  mcp: 'The same for programs that speak the Model Context Protocol.',
  messages: 'Agent mail: what is said, and who may find it.',
  sessions: 'Who is logged in with a browser.',
  webhooks: 'Who is told of the ends of tasks, and what was told.',
  health: 'For supervisors, load balancers and Prometheus.',
} satisfies Record<AnyRoute['tag'], string>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly [more: string]: unknown };
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly [more: string]: unknown;
}

/** The rows with the one that serves their own description, and that description. */
export function withDocument(routes: readonly AnyRoute[]): { readonly rows: readonly AnyRoute[]; readonly document: OpenApiDocument } {
  const rows: readonly AnyRoute[] = [
    ...routes,
    route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'readOpenApi',
      summary: 'This document',
      tag: 'health',
      access: 'open',
      responses: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) } },
      problems: [],
      handle: async () => ({ status: 200, body: document }),
    }),
  ];
  const document = openApiDocument(rows);
  return { rows, document };
}

/**
 * The OpenAPI 3.1 document of the rows. The same rows give the same bytes. Paths and schemas are made when somebody reads
 * them: every server has the document, and most are never asked for it.
 */
export function openApiDocument(rows: readonly AnyRoute[]): OpenApiDocument {
  let made: Described | undefined;
  const described = (): Described => (made ??= describe(rows));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Writ',
      version: API_VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
      description: 'Leased, once-only file operations, searches and plans. Errors are RFC 9457 problem documents with a stable `code`.',
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    get paths() {
      return described().paths;
    },
    components: {
      get schemas() {
        return described().schemas;
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer writ_…`.' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'writ_session',
          description: 'A session of a browser, from `/login`. Unsafe methods then need the own Origin.',
        },
      },
    },
    'x-writ-all-roles': ROLES,
  };
}

interface Described {
  readonly paths: OpenApiDocument['paths'];
  readonly schemas: SchemaBook['components'];
}

function describe(rows: readonly AnyRoute[]): Described {
  const book = schemaBook(rows.flatMap(schemasOf));
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const row of rows) {
    const path = row.path.replaceAll(/:([A-Za-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row, book) };
  }
  return { paths, schemas: book.components };
}

function operation(row: AnyRoute, book: SchemaBook): JsonSchema {
  const body = requestBody(row, book);
  const parameters = parametersOf(row, book);
  return {
    operationId: row.operation,
    tags: [row.tag],
    summary: row.summary,
    description: [row.description, `For: ${describeAccess(row.access)}.`].filter((text) => text !== undefined).join('\n\n'),
    'x-writ-roles': row.access,
    security: row.access === 'open' ? [] : [{ bearer: [] }, { cookie: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...answers(row, book), ...problems(row) },
  };
}

function answers(row: AnyRoute, book: SchemaBook): Record<string, JsonSchema> {
  const entries = Object.entries(row.responses).map(
    ([status, { description, schema, also = {}, type = 'application/json', headers }]): [string, JsonSchema] => [
      status,
      {
        description,
        ...(headers === undefined
          ? {}
          : { headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }])) }),
        ...(schema === undefined ? {} : { content: contentOf({ [type]: schema, ...also }, book) }),
      },
    ],
  );
  return Object.fromEntries(entries);
}

function contentOf(types: Readonly<Record<string, z.ZodType>>, book: SchemaBook): JsonSchema {
  return Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema: book.of(schema) }]));
}

/** One response per status, with its codes. A status that the row describes itself (503 of /readyz) stays the row's. */
function problems(row: AnyRoute): Record<string, JsonSchema> {
  const entries: [string, JsonSchema][] = [];
  for (const [status, codes] of problemsByStatus(row)) {
    if (status in row.responses) continue;
    const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { status: { const: status }, code: { enum: codes } } }] };
    entries.push([
      String(status),
      { description: codes.map((code) => `\`${code}\``).join(', '), 'x-writ-codes': codes, content: { [PROBLEM_TYPE]: { schema } } },
    ]);
  }
  return Object.fromEntries(entries);
}
