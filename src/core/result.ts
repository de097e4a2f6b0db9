/**
 * What a call comes to that may fail for a known reason: a value, never an exception (an exception is a crash). `E` is a
 * code, a sentence or a record of both; who makes it says which.
 */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** It went well. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** It failed, and why. */
export function failed<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}
