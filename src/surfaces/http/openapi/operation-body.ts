import { z } from 'zod';
import { NDJSON } from '../body.ts';
import type { AnyRoute } from '../route.ts';
import type { JsonSchema, SchemaBook } from './schemas.ts';

export function hasBody(row: AnyRoute): boolean {
  return row.body !== undefined || row.ndjson === true;
}

/** `requestBody` of an operation. */
export function requestBody(row: AnyRoute, book: SchemaBook): JsonSchema | undefined {
  if (!hasBody(row)) return undefined;
  const schema: z.ZodType | undefined = row.body;
  return {
    required: schema === undefined || !schema.safeParse(undefined).success,
    content: {
      ...(schema === undefined ? {} : { 'application/json': { schema: book.of(schema) } }),
      ...(row.ndjson === true ? { [NDJSON]: { schema: { type: 'string', description: 'One JSON document a line; of any length, read as it comes.' } } } : {}),
    },
  };
}

/** Parameters of path, query and header. */
export function parametersOf(row: AnyRoute, book: SchemaBook): readonly JsonSchema[] {
  return [
    ...fields(row.params, 'path', book),
    ...fields(row.query, 'query', book),
    ...Object.entries(row.headers ?? {}).map(([name, description]) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } })),
  ];
}

/** The members of an object schema, one parameter each. */
function fields(schema: z.ZodType | undefined, where: 'path' | 'query', book: SchemaBook): readonly JsonSchema[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  return Object.entries(shape).map(([name, member]) => ({
    name,
    in: where,
    required: where === 'path' || !member.safeParse(undefined).success,
    ...(member.description === undefined ? {} : { description: member.description }),
    schema: book.of(member),
  }));
}

/** Every schema of a row that the book must know. */
export function schemasOf(row: AnyRoute): readonly z.ZodType[] {
  const parts = [row.params, row.query].flatMap((schema: z.ZodType | undefined) =>
    schema instanceof z.ZodObject ? Object.values<z.ZodType>(schema.shape) : [],
  );
  const body: z.ZodType | undefined = row.body;
  const answers = Object.values(row.responses).flatMap(({ schema, also = {} }) => [
    ...(schema === undefined ? [] : [schema]),
    ...Object.values<z.ZodType>(also),
  ]);
  return [...parts, ...(body === undefined ? [] : [body]), ...answers];
}
