import { escapeHtml, page } from './html.ts';

/** Without `next` the server decides by the roles of who logs in. */
const nextField = (next: string | undefined) => (next === undefined ? '' : hidden('next', next));
const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

/** The form for an API key; `failure` says that a try did not work, and not which part of it was wrong. */
export function loginPage(next: string | undefined, failure?: string): string {
  const failed = failure === undefined ? '' : `<p class="failure" role="alert" id="failure">${escapeHtml(failure)}</p>`;
  const described = failure === undefined ? 'help' : 'failure help';
  return page(
    'Log in to Writ',
    `${failed}<form method="post" action="/login">${nextField(next)}
<label for="key">API key</label>
<input id="key" name="key" type="password" required autofocus autocomplete="current-password" spellcheck="false" aria-describedby="${described}"${failure === undefined ? '' : ' aria-invalid="true"'}>
<p class="note" id="help">It looks like <code>writ_…</code>. The first start wrote an operator key into the data directory; <code>writ login-link</code> makes a link that needs none.</p>
<button type="submit">Log in</button></form>`,
  );
}

/** A one-time link: the token is used by a press of the button, so that the preview of a chat program does not use it up. */
export function tokenPage(token: string, next: string | undefined): string {
  return page(
    'Log in to Writ',
    `<p>This link opens a session in this browser. It works once.</p>
<form method="post" action="/login">${hidden('token', token)}${nextField(next)}
<button type="submit" autofocus>Continue</button></form>`,
  );
}
