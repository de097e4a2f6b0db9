import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyReply } from 'fastify';
import { Marked } from 'marked';
import { WritError } from '../../core/errors.ts';
import { Html, html } from './console/html.ts';
import { CONSOLE_CSS } from './console/style.ts';
import type { HttpPlugin } from './options.ts';
import { escapeHtml } from './pages/html.ts';

/** Where an alert's `runbook_url` leads, unless Prometheus was told another base. */
export const RUNBOOKS_PATH = '/runbooks';

const CSP = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const INDEX = 'README';

const CSS = `${CONSOLE_CSS}
main{max-width:46rem}
code{background:var(--soft);border-radius:.25rem;padding:.1rem .3rem;overflow-wrap:anywhere}
pre code{padding:0}
li{margin:.5rem 0}
li pre{margin:.5rem 0}
`;

/**
 * The runbooks of the package as pages, for whoever follows an alert: open like `/docs`, since they stand in the package
 * anyway and a person in trouble may have no key at hand. No script, nothing from elsewhere.
 *
 * @param directory the pages as they were written, in Markdown
 */
export function runbookPlugin(directory: string): HttpPlugin {
  return async (app) => {
    await app.register(
      async (scope) => {
        scope.addHook('onRoute', (route) => {
          route.config = { ...route.config, access: 'open' };
        });
        scope.get('/', async (_request, reply) => sendPage(reply, 'Runbooks', html`${await markdownOf(directory, INDEX)}${await listOf(directory)}`));
        scope.get('/runbooks.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(CSS));
        // With its ending as without: so the base of the alerts may be a directory of files, too.
        scope.get<{ Params: { page: string } }>('/:page', async (request, reply) => {
          const name = request.params.page.replace(/\.md$/, '');
          return sendPage(reply, `${name} · Writ runbook`, await markdownOf(directory, name));
        });
      },
      { prefix: RUNBOOKS_PATH },
    );
  };
}

/** @throws WritError NOT_FOUND */
async function markdownOf(directory: string, name: string): Promise<Html> {
  const text = /^[A-Za-z]{1,64}$/.test(name) ? await readFile(path.join(directory, `${name}.md`), 'utf8').catch(() => undefined) : undefined;
  if (text === undefined) throw new WritError('NOT_FOUND', 'there is no runbook of this name');
  return new Html(MARKDOWN.parse(text, { async: false }));
}

async function listOf(directory: string): Promise<Html> {
  const names = (await readdir(directory)).map((name) => path.basename(name, '.md')).filter((name) => name !== INDEX);
  return html`<h2>All runbooks</h2><ul>${names.sort().map((name) => html`<li><a href="${RUNBOOKS_PATH}/${name}">${name}</a></li>`)}</ul>`;
}

function sendPage(reply: FastifyReply, title: string, body: Html): FastifyReply {
  const page = html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="${RUNBOOKS_PATH}/runbooks.css"></head>
<body><a class="skip" href="#main">Skip to the content</a>
<header><nav aria-label="Writ"><ul><li class="name">Writ</li><li><a href="${RUNBOOKS_PATH}/">Runbooks</a></li><li><a href="/console">Console</a></li></ul></nav></header>
<main id="main" tabindex="-1">${body}</main></body></html>
`;
  return reply.header('content-security-policy', CSP).type('text/html; charset=utf-8').send(`<!doctype html>\n${page.text}`);
}

/** Pages of ours, so what they link is known: another runbook, or a page of `docs` that is no page here. */
const MARKDOWN = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      if (!href.startsWith('../')) return `<a href="${escapeHtml(href)}">${text}</a>`;
      const place = `<code>${escapeHtml(path.posix.join('docs/runbooks', href))}</code>`;
      return text.endsWith('.md') ? place : `${text} (${place})`;
    },
  },
});
