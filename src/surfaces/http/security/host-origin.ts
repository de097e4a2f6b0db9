import type { FastifyRequest } from 'fastify';
import { WritError } from '../../../core/errors.ts';
import { isLoopback } from '../../../core/loopback.ts';

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+)(?::(\d{1,5}))?$/;
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via'] as const;

export interface HostRuleOptions {
  /** Address that the server is bound to. */
  readonly host: string;
  /** Names from the settings; `name:port` allows exactly that port, for a proxy on another one. */
  readonly allowedHosts: readonly string[];
  /** The port, known once the server listens. */
  readonly port: () => number;
}

/** Which names the server answers to, and from which pages it takes orders. */
export interface HostRule {
  /** Against DNS rebinding: a page of evil.example whose name now leads to 127.0.0.1 still sends `Host: evil.example`. Throws WritError HOST_NOT_ALLOWED; INVALID_ARGUMENT for two of them. */
  checkHost(request: FastifyRequest): void;
  /** Against forged requests of other pages, other ports of this host included. Throws WritError ORIGIN_NOT_ALLOWED. */
  checkOrigin(request: FastifyRequest): void;
  /** Bound to loopback, called from loopback, by no proxy. */
  isLocal(request: FastifyRequest): boolean;
}

export function createHostRule({ host, allowedHosts, port }: HostRuleOptions): HostRule {
  const names = new Set([...LOOPBACK_NAMES, ...allowedHosts.map((name) => name.toLowerCase()), bracketed(host.toLowerCase())]);

  function known(header: string, request: FastifyRequest): boolean {
    const [, name = '', givenPort] = HOST.exec(header.toLowerCase()) ?? [];
    if (name === '') return false;
    if (givenPort !== undefined && names.has(`${name}:${givenPort}`)) return true;
    if (givenPort !== undefined && Number(givenPort) !== port()) return false;
    // The address that the connection came in on: bound to 0.0.0.0 it has many. A rebound name is never an address.
    return names.has(name) || name === bracketed(plain(request.socket.localAddress ?? ''));
  }

  return {
    checkHost(request) {
      const { host: header } = request.headers;
      // Node keeps the first of several; a proxy before us may have judged by another (RFC 9112, 3.2).
      if (request.raw.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length > 1)
        throw new WritError('INVALID_ARGUMENT', 'there is more than one Host header');
      if (header === undefined || !known(header, request) || !known(targetHost(request) ?? header, request))
        throw new WritError('HOST_NOT_ALLOWED', 'the Host header names no host of this server; see http.allowed_hosts');
    },
    checkOrigin(request) {
      if (SAFE_METHODS.has(request.method)) return;
      const { origin, host: header = '' } = request.headers;
      const site = request.headers['sec-fetch-site'];
      if (site !== undefined && site !== 'same-origin' && site !== 'none')
        throw new WritError('ORIGIN_NOT_ALLOWED', 'a page of another site may not ask for this');
      if (origin === undefined) {
        if (request.caller?.via === 'session') throw new WritError('ORIGIN_NOT_ALLOWED', 'with a session this needs an Origin header');
      } else if (!sameOrigin(origin, header)) throw new WritError('ORIGIN_NOT_ALLOWED', 'the Origin header names another origin than the Host header');
    },
    isLocal(request) {
      if (!isLoopback(host) || !isLoopback(plain(request.socket.remoteAddress ?? ''))) return false;
      if (FORWARDED.some((name) => request.headers[name] !== undefined)) return false;
      const name = HOST.exec((request.headers.host ?? '').toLowerCase())?.[1] ?? '';
      return LOOPBACK_NAMES.includes(name) || name === bracketed(host.toLowerCase());
    },
  };
}

/** `GET http://name/path` names a host as well. */
function targetHost({ raw: { url = '' } }: FastifyRequest): string | undefined {
  return url.startsWith('/') || !URL.canParse(url) ? undefined : new URL(url).host;
}

/** A proxy before us may speak TLS, so the scheme is free; host and port are not. */
function sameOrigin(origin: string, host: string): boolean {
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  if (scheme === undefined || !URL.canParse(origin) || !URL.canParse(scheme + host)) return false;
  const url = new URL(origin);
  return url.origin === origin && url.host === new URL(scheme + host).host;
}

function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

function bracketed(address: string): string {
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
}
