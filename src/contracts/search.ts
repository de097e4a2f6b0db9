import { z } from 'zod';
import type { CapabilityId } from './capability.ts';
import { TaskId } from './ids.ts';

/**
 * Inputs and outputs of the searches (search-executor.md 4, 8), for producers that look before they push. The executor
 * judges inputs itself: it counts the query without the white space around it, and refuses lone surrogates.
 */

/** The kind of scope that each search looks into (search-executor.md 7). */
export const SEARCH_KIND = {
  SEARCH_FILES: 'files',
  SEARCH_EMAILS: 'emails',
  SEARCH_DATASETS: 'datasets',
} as const satisfies { readonly [C in CapabilityId as C extends `SEARCH_${string}` ? C : never]: string };
export type SearchCapability = keyof typeof SEARCH_KIND;
export const SEARCH_CAPABILITIES: ReadonlySet<string> = new Set(Object.keys(SEARCH_KIND));

/** Text measured in code points, as JSON Schema and the specification do. */
function text(min: number, max: number, description: string) {
  return z
    .string()
    .refine((value) => value.length >= min && (value.length <= max || [...value].length <= max), `must have ${min} to ${max} characters`)
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max, description });
}

const scopeId = text(1, 128, 'Identifier of an allowed scope; its meaning is set on the host.');

function inputs(what: string) {
  return z
    .strictObject({
      query: text(1, 4096, 'The literal text to look for: case-sensitive, no patterns. White space around it does not count.'),
      target_scope: scopeId,
      max_results: z.int().min(1).max(1000).meta({ description: 'How many results to answer with; the count is of all matches.' }),
    })
    .meta({ description: what });
}

function output<C extends SearchCapability, F extends z.ZodType>(capability: C, id: string, field: F) {
  return z.strictObject({
    task_id: TaskId,
    capability_id: z.literal(capability),
    target_scope: scopeId,
    results: z
      .array(
        z.strictObject({
          id: z.string().meta({ description: id }),
          match_field: field,
          match_snippet: text(0, 200, 'The first match with up to 100 characters before and after it; 200 at most in all.'),
        }),
      )
      .max(1000),
    count: z.int().min(0).meta({ description: 'Number of all matches in the scope.' }),
    truncated: z.boolean().meta({ description: 'Whether there are more matches than results.' }),
  });
}

export const SearchFilesInputs = inputs('Finds files of a directory tree by their names, ordered by path.');
export const SearchEmailsInputs = inputs('Finds messages of a mailbox by From, To, Subject and plain text body, ordered by time of receipt.');
export const SearchDatasetsInputs = inputs('Finds records of a data set by their text fields, ordered by primary key.');

export const SearchFilesOutput = output('SEARCH_FILES', 'Path relative to the scope.', z.literal('filename'));
export const SearchEmailsOutput = output('SEARCH_EMAILS', 'Identifier of the message, unique in the scope.', z.enum(['from', 'to', 'subject', 'body']));
export const SearchDatasetsOutput = output(
  'SEARCH_DATASETS',
  'Primary key of the record.',
  z.string().meta({ description: 'Name of the first matching field.' }),
);

/** What the SUCCESS of each search says. */
export const SEARCH_OUTPUT = {
  SEARCH_FILES: SearchFilesOutput,
  SEARCH_EMAILS: SearchEmailsOutput,
  SEARCH_DATASETS: SearchDatasetsOutput,
} as const satisfies Record<SearchCapability, z.ZodType>;
