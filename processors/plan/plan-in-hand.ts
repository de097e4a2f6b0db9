import type { JsonObject } from '../../src/core/json.ts';
import type { Walk } from './walk.ts';

/** One plan in the hands of one delivery. */
export interface PlanInHand {
  readonly planSha256: string;
  readonly envelope: JsonObject;
  readonly lease: string;
  /** Of the lease, seconds since 1970. */
  readonly exp: number;
  readonly traceparent: string | undefined;
  readonly walk: Walk;
}
