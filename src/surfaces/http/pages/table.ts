import type { Access } from '../route.ts';

/** The paths for people that are no rows of the API; the matrix of route x role and the documents know them too. */
export interface Page {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
}

export const PAGES: readonly Page[] = [
  { method: 'GET', path: '/', access: 'open', summary: 'Leads to the first page' },
  { method: 'GET', path: '/login', access: 'open', summary: 'The form to log in' },
  { method: 'POST', path: '/login', access: 'open', summary: 'Exchanges a key or a one-time token for a session' },
  { method: 'POST', path: '/logout', access: 'open', summary: 'Ends the session' },
  { method: 'GET', path: '/docs', access: 'open', summary: 'The API for people' },
];
