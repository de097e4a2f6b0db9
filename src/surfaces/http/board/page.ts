import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/**
 * What the browser may do on the board, stricter than it comes: everything from this server, no inline script or style
 * sheet, no frame. `data:` images are the icons in Bull Board's style sheet.
 */
export const BOARD_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Hides what the server refuses anyway: nobody should be offered it. Class names of Bull Board end in a hash, so their
 * beginnings count, and the names of the icons; `refresh-cw` is Retry, `pause` and `play` are those
 * of a queue, and in the menu with a submenu those of all queues at once. What a later version renames shows up again, and is
 * refused with a message.
 */
export const BOARD_CSS = `
ul[class*="jobActions-"] > li:not(:has(.lucide-refresh-cw)),
ul[class*="queueActions-"] > li:not(:has(.lucide-refresh-cw)),
[role="menuitem"]:has(svg):not(:has(.lucide-refresh-cw, .lucide-pause, .lucide-play)):not([class*="subTrigger-"]):not([class*="subItem-"]),
[role="menu"]:has([class*="subTrigger-"]) [role="menuitem"]:has(.lucide-pause, .lucide-play),
button:has(.lucide-pencil) { display: none; }
`;

/** Bull Board's page without fonts from elsewhere, inline styles and the animation in front of its start. */
export function ownPage(html: string): string {
  return html
    .replaceAll(/<link[^>]*href="https?:[^>]*>/g, '')
    .replaceAll(/<style>[^<]*<\/style>/g, '')
    .replaceAll(/ style="[^"]*"/g, '')
    .replace('</head>', '<link href="writ.css" rel="stylesheet"><script src="writ.js" defer></script></head>');
}

/**
 * Words that would be untrue here: a retry-all may go on after its answer, and what it skips has a reason of Writ's. The
 * same English words in all languages.
 */
const WORDS = {
  RETRY_DONE: 'Retry of all {{status}} jobs was asked for; the audit log says how it goes',
  RETRY_QUEUES_DONE: 'Retry of {{jobs}} failed jobs in {{count}} queues was asked for; the audit log says how it goes',
  RETRY_SKIPPED: '{{count}} could not be retried so far; the audit log counts the reasons',
} as const;

export async function ownWords(file: Readable): Promise<string> {
  const messages: unknown = JSON.parse(await text(file));
  const toast = walk(messages, ['QUEUE', 'ACTIONS', 'TOAST']);
  Object.assign(toast, WORDS);
  return JSON.stringify(messages);
}

function walk(value: unknown, names: readonly string[]): object {
  const [name, ...rest] = names;
  if (typeof value !== 'object' || value === null) throw new Error('Bull Board has other messages than it had: see WORDS');
  return name === undefined ? value : walk(Reflect.get(value, name), rest);
}
