/** What the API says when it refuses, in plain TypeScript as `types.ts`. */

/** One thing that is wrong with what was sent; an empty `field` means the whole of it. */
export interface FieldFault {
  field: string;
  message: string;
}

/** A problem document (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  field?: string | undefined;
  /** Everything that is wrong with the document; `field` and `detail` are about the first. */
  problems?: FieldFault[] | undefined;
  instance?: string | undefined;
}
