import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Role } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { HttpServerOptions } from '../options.ts';
import { problemOf, sendProblem } from '../problem.ts';
import { clearSessionCookies, readSessionCookie, writeSessionCookie } from '../security/cookie.ts';
import { loginRate } from '../security/limits.ts';
import type { SessionStore } from '../security/sessions.ts';
import { CSP_PAGE } from './html.ts';
import { loginPage, tokenPage } from './login-page.ts';
import { safeNext } from './next.ts';
import type { Visitor } from './visitor.ts';
import { createVisitorOf } from './visitor.ts';

const FORM_BYTES = 8192;
const NO_ROLES: ReadonlySet<Role> = new Set();

/** `/`, `/login` and `/logout`: forms without scripts. */
export function registerLogin(app: FastifyInstance, options: HttpServerOptions, sessions: SessionStore): void {
  const { http, log, home = () => '/docs/' } = options;
  const visitorOf = createVisitorOf(options);

  function logIn(request: FastifyRequest, reply: FastifyReply, visitor: Visitor): void {
    const old = readSessionCookie(request);
    if (old !== undefined) sessions.close(old);
    writeSessionCookie(request, reply, sessions.open(visitor), Math.min(http.sessionMs, visitor.endsInMs ?? http.sessionMs));
    log?.info({ who: visitor.name, address: request.ip }, 'logged in');
  }

  app.get('/', { exposeHeadRoute: true, config: { access: 'open' } }, (request, reply) => reply.redirect(home(request.caller?.roles ?? NO_ROLES), 303));

  app.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: FORM_BYTES }, (_request, text, done) => {
      done(null, new URLSearchParams(String(text)));
    });

    scope.get('/login', { exposeHeadRoute: true, config: { access: 'open' } }, (request, reply) => {
      const query = new URLSearchParams(request.url.split('?')[1] ?? '');
      const next = safeNext(query.get('next'));
      const token = query.get('token');
      return showPage(reply, 200, token === null ? loginPage(next) : tokenPage(token, next));
    });

    scope.post('/login', { config: { access: 'open', rateLimit: loginRate(http.loginLimit) }, errorHandler: failOnPage }, async (request, reply) => {
      const form = formOf(request);
      const visitor = await visitorOf(form);
      if (visitor === undefined) {
        log?.warn({ address: request.ip }, 'login refused');
        throw new WritError('UNAUTHORIZED', 'That did not work. The key or link is wrong, used up or expired.');
      }
      logIn(request, reply, visitor);
      return reply.redirect(safeNext(form.get('next')) ?? home(new Set(visitor.roles)), 303);
    });

    scope.post('/logout', { config: { access: 'open' } }, async (request, reply) => {
      const secret = readSessionCookie(request);
      if (secret !== undefined) sessions.close(secret);
      clearSessionCookies(reply);
      return reply.redirect('/login', 303);
    });
  });
}

function formOf(request: FastifyRequest): URLSearchParams {
  if (request.body instanceof URLSearchParams) return request.body;
  throw new WritError('UNSUPPORTED_MEDIA_TYPE', 'a login is a form: application/x-www-form-urlencoded');
}

/** A person sees a refusal on the page, a program as a problem document. */
function failOnPage(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error);
  const next = request.body instanceof URLSearchParams ? safeNext(request.body.get('next')) : undefined;
  const asPage = request.headers.accept?.includes('text/html') === true;
  void (asPage ? showPage(reply, problem.status, loginPage(next, problem.detail)) : sendProblem(reply, problem));
}

function showPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply.code(status).header('content-security-policy', CSP_PAGE).type('text/html; charset=utf-8').send(html);
}
