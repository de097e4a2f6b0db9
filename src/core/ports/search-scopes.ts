import type { SearchCapability } from '../../contracts/index.ts';
import type { SearchScope } from './search.ts';

/** A scope of the settings as it is found now. Holds no secret. */
export interface ScopeState {
  readonly id: string;
  readonly kind: SearchScope['kind'];
  /** What searches it. */
  readonly capability: SearchCapability;
  /** `directory`, or the store or format: `maildir`, `imap`, `csv`, … */
  readonly source: string;
  /** Absolute path, or the user, host, port and mailbox of a mail server. */
  readonly place: string;
  /** Why it cannot be searched now; undefined when it can. */
  readonly problem: string | undefined;
}

/** The scopes that the settings allow. */
export interface ScopeCatalog {
  /** What searches a scope; undefined when there is none of that name. */
  capabilityOf(id: string): SearchCapability | undefined;
  /** Opens every scope for a moment, a mail server too; reads nothing of its content. In the order of the settings. */
  look(): Promise<readonly ScopeState[]>;
}
