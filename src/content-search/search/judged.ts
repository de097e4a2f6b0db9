import type { ContentSearchErrorCode } from '../../contracts/index.ts';
import type { ContentSearchError } from '../../core/ports/index.ts';
import { failed, type Result } from '../../core/result.ts';

/** A part of a request that is fit to be used, or why the request has no answer. */
export type RequestResult<T> = Result<T, ContentSearchError>;

/** The request itself is wrong: whoever sent it has to change it. */
export function badArgs(field: string | undefined, message: string): RequestResult<never> {
  return refuse('BadArgs', field, message);
}

/** The request is right, and what it asks for cannot be done here and now. */
export function executionFailed(field: string | undefined, message: string): RequestResult<never> {
  return refuse('ExecutionFailed', field, message);
}

function refuse(code: ContentSearchErrorCode, field: string | undefined, message: string): RequestResult<never> {
  return failed({ code, field, message });
}
