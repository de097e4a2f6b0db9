const MAX_LENGTH = 2048;
const BASE = 'http://writ.invalid';

/** Where a login shall lead: a path of this server; `undefined` when the wish is none, or anything else (`//evil.example`, `/\evil`, `javascript:`). */
export function safeNext(wish: string | null | undefined): string | undefined {
  if (wish === undefined || wish === null || wish.length > MAX_LENGTH || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wish)) return undefined;
  if (!URL.canParse(wish, BASE)) return undefined;
  const url = new URL(wish, BASE);
  // The parser may find a host where the pattern saw a path (`/.//evil.example`).
  if (url.origin !== BASE || url.pathname.startsWith('//') || url.pathname === '/login') return undefined;
  return url.pathname + url.search;
}
