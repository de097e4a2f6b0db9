import type { z } from 'zod';
import { CONTENT_PATTERN_MAX_BYTES, ContentSearchRequest } from '../../contracts/index.ts';
import { ok } from '../../core/result.ts';
import { badArgs, type RequestResult } from './judged.ts';
import { smartCaseIgnoresCase } from './smart-case.ts';

/** What a request means when nothing is said. */
export interface RequestDefaults {
  readonly timeoutMs: number;
  /** Events, matches and context lines together. */
  readonly maxResults: number;
}

/** A request that can be searched for: every field present, the case decided. */
export interface SearchQuery {
  /** As it was sent: blanks at its ends count. */
  readonly pattern: string;
  readonly path: string;
  readonly ignoreCase: boolean;
  readonly fixedStrings: boolean;
  readonly wordRegexp: boolean;
  readonly hidden: boolean;
  readonly follow: boolean;
  readonly noIgnore: boolean;
  readonly globs: readonly string[];
  readonly context: number;
  readonly maxResults: number;
  readonly timeoutMs: number;
  /** 0: exact. */
  readonly fuzzy: number;
}

/**
 * Judges a request by its contract and by what a backend can be asked; touches no file (local-search-index.md 2.2).
 *
 * @returns the query, or `BadArgs` with the dotted path of the first field at fault
 */
export function judgeRequest(request: unknown, defaults: RequestDefaults): RequestResult<SearchQuery> {
  const parsed = ContentSearchRequest.safeParse(request);
  if (!parsed.success) return refusalOf(parsed.error);
  const fields = parsed.data;
  const problem = problemOf(fields);
  return problem === undefined ? ok(queryOf(fields, defaults)) : badArgs(problem.field, problem.message);
}

function queryOf(fields: ContentSearchRequest, defaults: RequestDefaults): SearchQuery {
  const fixedStrings = fields.fixed_strings ?? false;
  return {
    pattern: fields.pattern,
    path: fields.path ?? '.',
    ignoreCase: IGNORES_CASE[fields.case ?? 'smart'](fields.pattern, fixedStrings),
    fixedStrings,
    wordRegexp: fields.word_regexp ?? false,
    hidden: fields.hidden ?? false,
    follow: fields.follow ?? false,
    noIgnore: fields.no_ignore ?? false,
    globs: fields.glob ?? [],
    context: fields.context ?? 0,
    maxResults: fields.max_results ?? defaults.maxResults,
    timeoutMs: fields.timeout_ms ?? defaults.timeoutMs,
    fuzzy: fields.fuzzy ?? 0,
  };
}

/** The case is decided here and not by the backends: their own smart cases differ. */
const IGNORES_CASE = {
  smart: smartCaseIgnoresCase,
  sensitive: () => false,
  insensitive: () => true,
} satisfies Record<NonNullable<ContentSearchRequest['case']>, (pattern: string, fixedStrings: boolean) => boolean>;

interface Problem {
  readonly field: string;
  readonly message: string;
}

/** What the contract's schema cannot say. */
function problemOf({ pattern, path, glob = [] }: ContentSearchRequest): Problem | undefined {
  const message = patternProblem(pattern);
  if (message !== undefined) return { field: 'pattern', message };
  const pathMessage = path === undefined ? undefined : textProblem(path);
  if (pathMessage !== undefined) return { field: 'path', message: pathMessage };
  for (const [index, one] of glob.entries()) {
    const globMessage = globProblem(one);
    if (globMessage !== undefined) return { field: `glob.${index}`, message: globMessage };
  }
  return undefined;
}

function patternProblem(pattern: string): string | undefined {
  if (pattern.includes('\n')) return 'is one line: it must not contain a line feed';
  if (Buffer.byteLength(pattern) > CONTENT_PATTERN_MAX_BYTES) return `must not be longer than ${CONTENT_PATTERN_MAX_BYTES} bytes`;
  return textProblem(pattern);
}

function globProblem(glob: string): string | undefined {
  if (glob.replace(/^!/, '').trim() === '') return 'must not be blank';
  if (glob.includes('\n')) return 'is one line: it must not contain a line feed';
  return textProblem(glob);
}

/** What no argument of a process and no name of a file can hold. */
function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL';
  return text.isWellFormed() ? undefined : 'has a lone surrogate, which no UTF-8 text has';
}

function refusalOf(error: z.ZodError): RequestResult<never> {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') return badArgs(issue.keys[0], 'is no field of a search');
  const field = issue?.path.join('.') ?? '';
  return badArgs(field === '' ? undefined : field, issue?.message ?? 'is no search');
}
