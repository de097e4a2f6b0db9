import type { HttpSettings } from './options.ts';

/** The part of the section `http` of the settings that the server itself needs. */
interface HttpSection {
  readonly host: string;
  readonly port: number;
  readonly allowed_hosts: readonly string[];
  readonly max_body_bytes: number;
  readonly request_timeout_s: number;
  readonly rate_limit: number;
  readonly login_limit: number;
  readonly session_s: number;
}

/** The settings in the units of the server. */
export function httpSettings(http: HttpSection, maxConnections: number): HttpSettings {
  return {
    host: http.host,
    port: http.port,
    allowedHosts: [...http.allowed_hosts],
    maxBodyBytes: http.max_body_bytes,
    requestTimeoutMs: http.request_timeout_s * 1000,
    maxConnections,
    rateLimit: http.rate_limit,
    loginLimit: http.login_limit,
    sessionMs: http.session_s * 1000,
  };
}
