import type { FastifyHelmetOptions } from '@fastify/helmet';
import { isLoopback } from '../../../core/loopback.ts';
import type { HttpSettings } from '../options.ts';

/** For answers that are data: nothing in them may be run, shown in a frame or loaded. */
export const CSP_DATA = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** For pages: only what the server itself brings, no inline script. Pages with inline styles name their hashes. */
const CSP_PAGES = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
};

const HELMET = {
  contentSecurityPolicy: { useDefaults: false, directives: CSP_PAGES },
  xFrameOptions: { action: 'deny' },
  // `no-referrer` would make browsers send `Origin: null` with our own forms.
  referrerPolicy: { policy: 'same-origin' },
  crossOriginOpenerPolicy: { policy: 'same-origin' },
  crossOriginResourcePolicy: { policy: 'same-origin' },
} satisfies FastifyHelmetOptions;

const HALF_A_YEAR_S = 15_552_000;

/**
 * Whoever ends TLS promises that it stays so: we, or a proxy before us. On loopback nobody does: the promise would hold for
 * every other program of this host whose name is `localhost`.
 */
export function helmetFor({ host, certificate }: Pick<HttpSettings, 'host' | 'certificate'>): FastifyHelmetOptions {
  const promised = certificate !== undefined && !isLoopback(host);
  return { ...HELMET, strictTransportSecurity: promised ? { maxAge: HALF_A_YEAR_S, includeSubDomains: false } : false };
}
