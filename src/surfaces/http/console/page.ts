import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import { type Html, html } from './html.ts';

export const CONSOLE_PATH = '/console';

/** Nothing but the style sheet and forms of this server. */
const CSP = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Who looks, and where. */
export interface Frame {
  readonly title: string;
  readonly caller: Caller | undefined;
  /** The entry of the menu that is open. */
  readonly here?: Entry['path'];
}

/** Of a page that whoever is logged in has asked for. */
export function frameOf({ caller }: FastifyRequest, title: string, here?: Entry['path']): Frame {
  return { title, caller, ...(here === undefined ? {} : { here }) };
}

interface Entry {
  readonly path: '' | '/tasks' | '/plans' | '/approvals' | '/schedules' | '/webhooks' | '/sessions';
  readonly text: string;
  readonly operate?: true;
}
const MENU: readonly Entry[] = [
  { path: '', text: 'Now' },
  { path: '/tasks', text: 'Tasks' },
  { path: '/plans', text: 'Plans' },
  { path: '/approvals', text: 'Approvals' },
  { path: '/schedules', text: 'Schedules' },
  { path: '/webhooks', text: 'Webhooks', operate: true },
  { path: '/sessions', text: 'Sessions', operate: true },
];

/** Sends a whole page. */
export function sendPage(reply: FastifyReply, status: number, frame: Frame, body: Html): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-security-policy': CSP, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>\n${framed(frame, body).text}`);
}

function framed({ title, caller, here }: Frame, body: Html): Html {
  const operates = caller?.roles.has('operate') === true;
  const entries = MENU.filter(({ operate }) => operate !== true || operates).map(
    ({ path, text }) => html`<li><a href="${CONSOLE_PATH}${path}"${path === here ? html` aria-current="page"` : undefined}>${text}</a></li>`,
  );
  const board = operates ? html`<li><a href="/board/">Board</a></li>` : undefined;
  const who =
    caller === undefined
      ? undefined
      : html`<div class="who"><span>${caller.name} (${[...caller.roles].join(', ')})</span>${caller.via === 'session' ? LOG_OUT : undefined}</div>`;
  return html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title} · Writ console</title><link rel="stylesheet" href="${CONSOLE_PATH}/console.css"></head>
<body><a class="skip" href="#main">Skip to the content</a>
<header><nav aria-label="Console"><ul><li class="name">Writ</li>${entries}${board}<li><a href="/docs/">API</a></li></ul></nav>${who}</header>
<main id="main" tabindex="-1"><h1>${title}</h1>
${body}
</main></body></html>
`;
}

const LOG_OUT = html`<form method="post" action="/logout"><button>Log out</button></form>`;

/** A button that does something, behind a question where it cannot be taken back by another one. */
export function actionForm(action: string, label: string, question?: string): Html {
  const form = html`<form method="post" action="${action}"><button>${question === undefined ? label : `Yes, ${label.charAt(0).toLowerCase()}${label.slice(1)}`}</button></form>`;
  return question === undefined ? form : html`<details class="ask"><summary>${label}…</summary><p>${question}</p>${form}</details>`;
}

export interface Column {
  readonly title: string;
  readonly isNumber?: true;
}

/** Rows under their titles; `nothing` is said when there is none. */
export function tableOf(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly (Html | string | number | undefined)[])[],
  nothing: string,
): Html {
  if (rows.length === 0) return html`<p>${nothing}</p>`;
  const heads = columns.map(({ title, isNumber }) => html`<th scope="col"${numberClass(isNumber)}>${title}</th>`);
  const body = rows.map((row) => html`<tr>${row.map((cell, at) => html`<td${numberClass(columns[at]?.isNumber)}>${cell}</td>`)}</tr>`);
  return html`<div class="wide" role="region" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function numberClass(isNumber: true | undefined): Html | undefined {
  return isNumber && html` class="number"`;
}

/** Names and values. */
export function factsOf(rows: readonly (readonly [string, Html | string | number | undefined])[]): Html {
  return html`<dl>${rows.filter(([, value]) => value !== undefined && value !== '').map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** The value of a query's parameter, as a person typed it. */
export function queryOf({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams {
  return new URLSearchParams(url.split('?')[1] ?? '');
}

/** A state in words and by a mark, never by colour alone. @param mark `success`, `failure`, `running`; any other is the open one */
export function stateMark(state: string, mark = state): Html {
  return html`<span class="state ${mark}">${state}</span>`;
}
