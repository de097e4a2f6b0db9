import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Role } from '../../contracts/index.ts';
import type { ApiKeyStore, LoginLinks } from '../../core/ports/index.ts';
import type { HttpMeter } from '../../observability/http-requests.ts';
import type { Logger } from '../../observability/logging.ts';
import type { Tracer } from '../../observability/tracing/tracer.ts';
import type { Access, AnyRoute, Caller } from './route.ts';
import type { SessionStore } from './security/sessions.ts';
import type { HttpServices } from './services.ts';

/** The section `http` of the settings, in milliseconds. */
export interface HttpSettings {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly allowedHosts: readonly string[];
  /** Of one JSON body. */
  readonly maxBodyBytes: number;
  readonly requestTimeoutMs: number;
  readonly maxConnections: number;
  /** Requests a minute of one key, or of one address without a key. */
  readonly rateLimit: number;
  /** Tries to log in a minute, of one address. */
  readonly loginLimit: number;
  readonly sessionMs: number;
  /** With it the server speaks HTTPS alone. */
  readonly certificate?: ServerCertificate;
}

/** What the server shows of itself over TLS, as PEM; it may change while the server runs. */
export interface ServerCertificate {
  current(): { readonly cert: string; readonly key: string };
  onChange(listener: (pair: { readonly cert: string; readonly key: string }) => void): void;
}

/** Protects the routes of a plugin with the keys and sessions of the server. */
export interface Guard {
  /** 401 (a browser is sent to `/login?next=…`) without a caller, 403 without the role. */
  require(role: Role): preHandlerAsyncHookHandler;
}

/** More routes for the same server. They need a login at least, whatever the plugin forgets; `guard` asks for a role. `sessions`: who is logged in. */
export type HttpPlugin = (app: FastifyInstance, guard: Guard, sessions: SessionStore) => Promise<void>;

export type HttpLog = Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>;

export interface HttpServerOptions {
  readonly services: HttpServices;
  readonly routes: readonly AnyRoute[];
  readonly apiKeys: ApiKeyStore;
  readonly loginLinks: LoginLinks;
  readonly http: HttpSettings;
  readonly plugins?: readonly HttpPlugin[];
  /** Where `/` and a login without `next` lead a caller with these roles to; `/docs/` unless given. */
  readonly home?: (roles: ReadonlySet<Role>) => string;
  readonly log?: HttpLog;
  readonly meter?: HttpMeter;
  /** `undefined`: tracing is off. */
  readonly tracer?: Tracer | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; `undefined` without a good key or session. Set before any other hook of ours looks. */
    caller: Caller | undefined;
    /** Whose requests are counted together: a key, a session's name, or an address. */
    quota: string;
  }
  interface FastifyContextConfig {
    /** Who may call; a route without it needs some login. */
    access?: Access;
    openOnLoopback?: boolean;
    /** The body is a stream without an end in time. */
    ndjson?: boolean;
    /** A body that cannot be read is an INVALID_MANIFEST, as on the raw queue; elsewhere an INVALID_ARGUMENT. */
    manifests?: boolean;
    /** Methods that the path has, when it has not this one. */
    allow?: string;
  }
}
