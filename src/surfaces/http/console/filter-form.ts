import { type Html, html } from './html.ts';

/** A field of a filter: a choice, or a text. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly string[];
  /** A time, in UTC. */
  readonly isTime?: true;
}

/** The values that a person has filled in; times as RFC 3339. What is empty narrows nothing. */
export function filterValues(query: URLSearchParams, fields: readonly FilterField[]): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name, isTime }) => {
      const value = (query.get(name) ?? '').trim();
      if (value === '') return [];
      return [[name, isTime === true && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(value) ? `${value}:00Z` : value]];
    }),
  );
}

export function filterForm(action: string, fields: readonly FilterField[], query: URLSearchParams): Html {
  const inputs = fields.map(({ name, label, choices, isTime }) => {
    const value = query.get(name) ?? '';
    if (choices !== undefined) {
      const options = ['', ...choices].map(
        (choice) => html`<option value="${choice}"${choice === value ? html` selected` : undefined}>${choice === '' ? 'any' : choice}</option>`,
      );
      return html`<label>${label}<select name="${name}">${options}</select></label>`;
    }
    const kind = isTime === true ? html` type="datetime-local"` : html` type="text" maxlength="4096" spellcheck="false"`;
    return html`<label>${label}<input name="${name}" value="${isTime === true ? value.slice(0, 16) : value}"${kind}></label>`;
  });
  return html`<form class="filter" method="get" action="${action}" role="search">${inputs}<button>Find</button></form>`;
}

/** The link to the following page. */
export function nextLink(action: string, query: URLSearchParams, next: string | undefined): Html | undefined {
  if (next === undefined) return undefined;
  const following = new URLSearchParams([...query].filter(([name, value]) => name !== 'cursor' && value !== ''));
  following.set('cursor', next);
  return html`<p><a rel="next" href="${action}?${following.toString()}">Older</a></p>`;
}
