import type { z } from 'zod';

/** What is wrong with a value, and where. */
export interface SchemaFault {
  /** Dotted path; empty for the whole value. */
  readonly field: string;
  readonly message: string;
}

/** The first thing that a schema found wrong. */
export function faultOf(error: z.ZodError): SchemaFault {
  const [issue] = closest(error.issues);
  if (issue === undefined) return { field: '', message: 'is invalid' };
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return { field: [...path, ...issue.keys.slice(0, 1)].join('.'), message: 'is not known here' };
  return { field: path.join('.'), message: issue.message };
}

/** Whether the field belongs to what is signed, a manifest or an envelope. */
export function isAboutManifest(field: string): boolean {
  return /^(?:manifest|envelope)(?:\.|$)/.test(field);
}

/** Where the whole may be one of several forms, what is wrong with the form that knows most of its keys. */
function closest(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const [issue] = issues;
  if (issue?.code !== 'invalid_union' || issue.path.length > 0) return issues;
  const strangers = (branch: readonly z.core.$ZodIssue[]): number =>
    branch.flatMap((found) => (found.code === 'unrecognized_keys' && found.path.length === 0 ? found.keys : [])).length;
  const [best] = issue.errors.toSorted((a, b) => strangers(a) - strangers(b));
  return best ?? issues;
}
