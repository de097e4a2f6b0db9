const MAX_LENGTH = 2048;
const BASE = 'http://writ.invalid';

/** Where a login leads: a path of this server, or `home` when the wish is anything else (`//evil.example`, `/\evil`, `javascript:`). */
export function safeNext(wish: string | undefined, home: string): string {
  if (wish === undefined || wish.length > MAX_LENGTH || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wish)) return home;
  if (!URL.canParse(wish, BASE)) return home;
  const url = new URL(wish, BASE);
  // The parser may find a host where the pattern saw a path (`/.//evil.example`).
  if (url.origin !== BASE || url.pathname.startsWith('//') || url.pathname === '/login') return home;
  return url.pathname + url.search;
}
