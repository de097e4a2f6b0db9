import { createHash } from 'node:crypto';

const STYLE = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:Canvas;color:CanvasText}
main{width:min(26rem,calc(100vw - 3rem));padding:2rem 0}
h1{font-size:1.5rem;margin:0 0 1rem}
label{display:block;font-weight:600;margin-bottom:.25rem}
input,button{font:inherit;box-sizing:border-box;width:100%;padding:.6rem .75rem;border-radius:.4rem;border:1px solid GrayText}
button{margin-top:1rem;border:0;background:#1d4ed8;color:#fff;font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid #60a5fa;outline-offset:2px}
.note{color:GrayText;font-size:.875rem}
.failure{border-left:4px solid #b91c1c;padding:.5rem .75rem;margin:0 0 1rem}
`;

/** The policy of these pages: one style, by its hash, and forms to this server. */
export const CSP_PAGE = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** A page; `body` is HTML already. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`;
}
