import type { z } from 'zod';
import { checked } from '../route.ts';
import { type Html, html } from './html.ts';

/** A field of a filter: a choice, or a text. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly string[];
  /** A time, in UTC. */
  readonly isTime?: true;
}

/**
 * The filter that a person has filled in; times as RFC 3339. What is empty narrows nothing.
 *
 * @throws WritError INVALID_ARGUMENT
 */
export function readFilter<F>(schema: z.ZodType<F>, query: URLSearchParams, fields: readonly FilterField[]): F {
  return checked({ problems: [] }, 'query', schema, filterValues(query, fields));
}

function filterValues(query: URLSearchParams, fields: readonly FilterField[]): Record<string, string> {
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
  return html`<p><a rel="next" href="${action}${queryLike(query, { cursor: next })}">Older</a></p>`;
}

/** The query of the same page with other values, `?` and all; what is empty is left out, and so is what was done before. */
export function queryLike(query: URLSearchParams, values: Readonly<Record<string, string>> = {}): string {
  const kept = [...query].filter(([name, value]) => value !== '' && name !== 'done' && !(name in values));
  const like = new URLSearchParams([...kept, ...Object.entries(values)]).toString();
  return like === '' ? '' : `?${like}`;
}
