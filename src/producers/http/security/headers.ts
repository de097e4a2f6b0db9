import type { FastifyHelmetOptions } from '@fastify/helmet';

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

export const HELMET = {
  contentSecurityPolicy: { useDefaults: false, directives: CSP_PAGES },
  xFrameOptions: { action: 'deny' },
  // `no-referrer` would make browsers send `Origin: null` with our own forms.
  referrerPolicy: { policy: 'same-origin' },
  crossOriginOpenerPolicy: { policy: 'same-origin' },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  // TLS is the business of a proxy before us, and so is what it promises about it.
  strictTransportSecurity: false,
} satisfies FastifyHelmetOptions;
