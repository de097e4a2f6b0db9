import type { FastifyReply, FastifyRequest } from 'fastify';
import { WritError } from '../../../core/errors.ts';
import type { Guard } from '../options.ts';
import type { Access } from '../route.ts';
import type { Authenticate } from './authenticate.ts';
import { CSP_DATA } from './headers.ts';
import type { HostRule } from './host-origin.ts';
import { describeAccess, judge } from './roles.ts';

/** The checks before every route, in the order in which they run. */
export interface Gate {
  /** First: Host, who calls, Origin. */
  identify(request: FastifyRequest): Promise<void>;
  /**
   * After the rate limit and before the body is read: 405, 401, 403.
   *
   * @param known `Allow` of a known path that has no route for this method
   */
  authorize(request: FastifyRequest, reply: FastifyReply, known?: string): Promise<FastifyReply | undefined>;
  readonly guard: Guard;
}

export function createGate({ hosts, authenticate }: { hosts: HostRule; authenticate: Authenticate }): Gate {
  function admit(access: Access, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const verdict = judge(access, request.caller);
    if (verdict === 'granted') return undefined;
    if (verdict === 'forbidden') throw new WritError('FORBIDDEN', `this needs the role ${describeAccess(access).replaceAll('`', '')}`);
    if (wantsPage(request)) return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 303);
    reply.header('www-authenticate', request.headers.authorization === undefined ? 'Bearer realm="writ"' : 'Bearer realm="writ", error="invalid_token"');
    throw new WritError('UNAUTHORIZED', 'this needs a valid API key (Authorization: Bearer …) or a session');
  }

  return {
    async identify(request) {
      hosts.checkHost(request);
      const { caller, quota } = await authenticate(request);
      request.caller = caller;
      request.quota = quota;
      hosts.checkOrigin(request);
    },
    async authorize(request, reply, known) {
      // A path that nobody has needs nobody's permission not to be found.
      if (request.is404 && known === undefined) return undefined;
      const { access, openOnLoopback, allow = known } = request.routeOptions.config;
      if (allow !== undefined) {
        reply.headers({ allow, 'content-security-policy': CSP_DATA });
        throw new WritError('METHOD_NOT_ALLOWED', `this path has ${allow}`);
      }
      if (openOnLoopback === true && hosts.isLocal(request)) return undefined;
      return admit(access ?? 'any', request, reply);
    },
    guard: {
      require: (role) => async (request, reply) => {
        const sent = admit([role], request, reply);
        return sent;
      },
    },
  };
}

/** A browser that goes to a page, rather than a script or a program that asks for data. */
function wantsPage(request: FastifyRequest): boolean {
  return request.method === 'GET' && request.headers.authorization === undefined && request.headers.accept?.includes('text/html') === true;
}
