import type { z } from 'zod';
import { compareCodePoints } from '../../core/code-points.ts';
import type { JsonObject } from '../../core/json.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import { TYPE_WORDS, valueAt } from '../../core/union-problems.ts';
import { type Failure, failure, type Problem } from './codes.ts';
import { isObject, shownPath } from './json-copy.ts';
import { LIMITS } from './limits.ts';

/** Constant texts: zod's own may change with its version and language. */
const MESSAGES = {
  invalid_format: 'has the wrong form',
  invalid_union: 'has none of the allowed forms',
  invalid_key: 'has a key that is not allowed',
  invalid_element: 'has an element that is not allowed',
  too_big: 'is too large or too long',
  too_small: 'is too small or too short',
  not_multiple_of: 'is not an allowed number',
  unrecognized_keys: 'is not a field of this contract',
  custom: 'is not allowed',
} satisfies Record<Exclude<z.core.$ZodIssue['code'], 'invalid_type' | 'invalid_value'>, string>;

/** A value under the type of its contract, or what is wrong with it in an order that only depends on what is wrong. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): Result<T, readonly Problem[]> {
  const parsed = schema.safeParse(value);
  // Our contracts change nothing and fill nothing in, so the value itself is what was parsed: no copy, and still frozen.
  return parsed.success ? ok(value as T) : failed(sorted(parsed.error.issues.flatMap((issue) => problemsOfIssue(issue, value))));
}

function problemsOfIssue(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [key]) : [[]];
  return keys.map((key) => ({ path: shownPath([...issue.path, ...key]), keyword: issue.code, message: sentence(issue, value) }));
}

function sentence(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_value') return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
  if (issue.code !== 'invalid_type') return MESSAGES[issue.code];
  return valueAt(value, issue.path.map(String)) === undefined ? 'is missing' : `must be ${TYPE_WORDS.get(issue.expected) ?? 'of another type'}`;
}

function sorted(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => compareCodePoints(a.path, b.path) || compareCodePoints(a.keyword, b.keyword)).slice(0, LIMITS.problems);
}

export function invalidContract(problems: readonly Problem[]): Failure {
  return failure('INVALID_CONTRACT', listed(problems));
}

export function listed(problems: readonly Problem[]): JsonObject {
  return { errors: sorted(problems).map((problem) => ({ ...problem })) };
}

/** What is wrong with an envelope, by field, from the details of a failure; empty where they list no problems. */
export function envelopeProblems({ errors }: JsonObject): readonly { readonly field: string; readonly message: string }[] {
  if (!Array.isArray(errors)) return [];
  return errors.filter(isObject).map(({ path, message }) => ({ field: path === '' ? 'envelope' : String(path), message: String(message) }));
}
