import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ERRORS, type ErrorCode, type FieldProblem, isWritError } from '../../core/errors.ts';
import { withDiskFault } from '../../core/outage.ts';

/** Why a tool has no answer: a code of ours, the argument at fault where one is, a sentence. */
export interface ToolFailure {
  readonly code: ErrorCode;
  readonly field?: string;
  readonly message: string;
  /** Everything that is wrong with the arguments, where there is more than a sentence about them. */
  readonly problems?: readonly FieldProblem[];
}

/** An answer: structured, and the same as text for clients that know no structure. */
export function answered(answer: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer as Record<string, unknown> };
}

/** A refusal. It is text alone: structured content has to fit the tool's output schema, which a refusal does not. */
export function failed(failure: ToolFailure): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(failure) }] };
}

/** What is our own fault tells nothing of our insides; the log has it. */
export function failureOf(thrown: unknown): ToolFailure {
  const error = withDiskFault(thrown);
  if (!isWritError(error) || ERRORS[error.code].http === 500) return { code: 'INTERNAL', message: 'The server failed; its log says why.' };
  const { code, field, message, problems } = error;
  return { code, ...(field === undefined ? {} : { field }), message, ...(problems === undefined ? {} : { problems }) };
}
