import type { Role } from '../../contracts/index.ts';
import type { SearchGrant } from '../../core/ports/index.ts';

/** Who may call a route: anybody; anybody with a key or session; or those who have one of the roles. */
export type Access = 'open' | 'any' | readonly Role[];

/** Who calls: an API key, a browser's session, or nobody (open routes only). */
export interface Caller {
  /** Name of the key; `anonymous` on an open route. */
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
  /** What the key is bound to; absent: nothing of the messages is hidden from it. */
  readonly grant?: SearchGrant | undefined;
  /** Whose requests are counted together. */
  readonly account?: string;
  readonly via: 'key' | 'session' | 'none';
  /** Which session; absent for a key. */
  readonly session?: string;
  /** Whether the key or session is still good; for calls that go on. Without it nobody can take the call away. */
  readonly lives?: () => Promise<boolean>;
}
