import type { ContentSearchErrorCode } from '../../contracts/index.ts';
import type { ContentSearchError } from '../../core/ports/index.ts';

/** A part of a request that is fit to be used, or why the request has no answer. */
export type Judged<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ContentSearchError };

export function accepted<T>(value: T): Judged<T> {
  return { ok: true, value };
}

/** The request itself is wrong: whoever sent it has to change it. */
export function badArgs(field: string | undefined, message: string): { readonly ok: false; readonly error: ContentSearchError } {
  return refusal('BadArgs', field, message);
}

/** The request is right, and what it asks for cannot be done here and now. */
export function executionFailed(field: string | undefined, message: string): { readonly ok: false; readonly error: ContentSearchError } {
  return refusal('ExecutionFailed', field, message);
}

function refusal(code: ContentSearchErrorCode, field: string | undefined, message: string): { readonly ok: false; readonly error: ContentSearchError } {
  return { ok: false, error: { code, field, message } };
}
