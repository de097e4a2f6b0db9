/** Under what terms tasks are pushed, one or many. */
export interface SubmitTerms {
  /** Tries for transient errors, 1 to 25; 1 unless given. */
  readonly attempts?: number;
  /** Queue including its pool, `file@archive`. */
  readonly queue?: string;
  /** No worker takes it before; at most 366 days ahead. A lease that you bring must hold then. */
  readonly notBefore?: Date;
  /** 0, as without: before every other; then 1 before 2, up to 2,097,152. */
  readonly priority?: number;
  /** The kernel issues a lease that is missing; needs the role `kernel` as well. */
  readonly sign?: boolean;
  /** Endpoint of the server's settings that is told of the end, beside those of the key. */
  readonly webhook?: string;
}

/** The same as the query of `POST /v1/tasks`. */
export function queryOf({ attempts, queue, notBefore, priority, sign, webhook }: SubmitTerms): Readonly<Record<string, string | number | undefined>> {
  return { attempts, queue, not_before: notBefore?.toISOString(), priority, sign: sign === true ? 'true' : undefined, webhook };
}
