/** Whether a host, as a URL or a listen address writes it, is this one: 127.0.0.0/8, ::1 and the name for them. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || /^\[?::1\]?$/.test(host) || /^127(\.\d{1,3}){3}$/.test(host);
}
