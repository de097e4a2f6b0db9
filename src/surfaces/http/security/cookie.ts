import type { FastifyReply, FastifyRequest } from 'fastify';

const PLAIN = 'writ_session';
/** Over TLS: the browser then refuses it from any other host, path or plain connection. */
const SECURE = `__Host-${PLAIN}`;

/** The secret that the browser sent. */
export function readSessionCookie(request: FastifyRequest): string | undefined {
  const header = request.headers.cookie;
  return header === undefined ? undefined : (cookieIn(header, SECURE) ?? cookieIn(header, PLAIN));
}

/** Our values are base64url, so nothing is quoted or escaped. Of several the first counts, as in browsers: the most specific. */
function cookieIn(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const [key, value] = pair.split('=', 2);
    if (key?.trim() === name && value !== undefined) return value.trim();
  }
  return undefined;
}

/** Ends with the browser or with `lifeMs`. Whether a proxy before us speaks TLS only the browser's own Origin tells. */
export function writeSessionCookie(request: FastifyRequest, reply: FastifyReply, secret: string, lifeMs: number): void {
  const seconds = Math.floor(lifeMs / 1000);
  reply.header('set-cookie', overTls(request) ? cookie(SECURE, secret, seconds) : cookie(PLAIN, secret, seconds));
}

export function clearSessionCookies(reply: FastifyReply): void {
  reply.header('set-cookie', [cookie(PLAIN, '', 0), cookie(SECURE, '', 0)]);
}

function cookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${name === SECURE ? '; Secure' : ''}`;
}

function overTls(request: FastifyRequest): boolean {
  return 'encrypted' in request.raw.socket || request.headers.origin?.startsWith('https://') === true;
}
