import type { Role } from '../../../contracts/index.ts';
import type { SearchGrant } from '../../../core/ports/index.ts';
import type { HttpServerOptions } from '../options.ts';

/** Who a form has shown to be. */
export interface Visitor {
  readonly name: string;
  readonly roles: readonly Role[];
  /** What the key is bound to. */
  readonly grant?: SearchGrant | undefined;
  /** The secret that it has shown, by its name. */
  readonly secretId?: string;
  /** Rest of the life of the key. */
  readonly endsInMs?: number;
}

/** The visitor of a login form: by `key`, or by the one-time `token`. */
export function createVisitorOf({ apiKeys, loginLinks, services }: Pick<HttpServerOptions, 'apiKeys' | 'loginLinks' | 'services'>) {
  return async (form: URLSearchParams): Promise<Visitor | undefined> => {
    const token = form.get('token');
    if (token !== null) return loginLinks.redeem(token);
    const key = await apiKeys.find((form.get('key') ?? '').trim());
    if (key === undefined) return undefined;
    const end = key.expiresAt === undefined ? {} : { endsInMs: Date.parse(key.expiresAt) - services.clock.now() };
    return { name: key.name, roles: key.roles, grant: key.grant, secretId: key.secretId, ...end };
  };
}
