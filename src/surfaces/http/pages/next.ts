const MAX_LENGTH = 2048;
const BASE = 'http://writ.invalid';

/** Where a login shall lead: a path of this server; `undefined` when it is not given, or anything else (`//evil.example`, `/\evil`, `javascript:`). */
export function safeNext(next: string | null | undefined): string | undefined {
  if (next === undefined || next === null || next.length > MAX_LENGTH || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(next)) return undefined;
  if (!URL.canParse(next, BASE)) return undefined;
  const url = new URL(next, BASE);
  // The parser may find a host where the pattern saw a path (`/.//evil.example`).
  if (url.origin !== BASE || url.pathname.startsWith('//') || url.pathname === '/login') return undefined;
  return url.pathname + url.search;
}
