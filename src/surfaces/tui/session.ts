import type { SearchResponse } from '../../contracts/index.ts';
import { messageOf } from '../../core/errors.ts';
import { ACTIONS, select } from './model/actions.ts';
import { insert } from './model/edit.ts';
import { type Facets, NO_FACETS } from './model/facets.ts';
import { actionOf } from './model/keys.ts';
import { type Pointer, pointedAt } from './model/pointer.ts';
import { MAX_ROWS, nextPage, queriesOf } from './model/query.ts';
import { type Found, initialState, type TuiState } from './model/state.ts';
import type { MessageScreenServices } from './port.ts';
import { createShelving } from './shelving.ts';

/** A key by its name (`up`, `ctrl+u`, `j`), and what it types, if anything. */
export interface Press {
  readonly key: string;
  readonly typed: string;
}

export interface Session {
  state(): TuiState;
  /** Adds a listener, called after every change; returns a function that removes it. */
  listen(listener: () => void): () => void;
  press(press: Press): void;
  point(pointer: Pointer): void;
  resize(columns: number, rows: number): void;
  /** Resolves when the person has asked to quit. */
  readonly done: Promise<void>;
}

export interface SessionDeps {
  readonly services: MessageScreenServices;
  readonly columns: number;
  readonly rows: number;
  readonly text: string;
  readonly facets?: Facets;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs something when nobody has typed for a moment; another call replaces one that waits. */
  readonly soon: (run: () => void) => void;
}

/** The screen without a terminal: keys come in, searches go out, a state results. At most one search runs; of those that wait only the last is done. */
export function createSession({ services, columns, rows, text, facets = NO_FACETS, now, soon }: SessionDeps): Session {
  let state = initialState({ columns, rows, text, facets });
  const listeners = new Set<() => void>();
  let quit: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    quit = resolve;
  });
  let busy = false;
  let waiting: (() => Promise<void>) | undefined;

  const set = (change: Partial<TuiState>): void => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };

  const run = (job: () => Promise<void>): void => {
    if (busy) {
      waiting = job;
      return;
    }
    busy = true;
    set({ searching: true });
    void job()
      .then(() => set({ failure: undefined }))
      .catch((error: unknown) => set({ failure: messageOf(error) }))
      .finally(() => {
        busy = false;
        const next = waiting;
        waiting = undefined;
        if (next === undefined) set({ searching: false });
        else run(next);
      });
  };

  const search = (): void =>
    run(async () => {
      const asked = { text: state.text, facets: state.facets };
      const answers: SearchResponse[] = [];
      for (const query of queriesOf(asked)) answers.push(await services.search(query));
      set({ found: foundIn(answers, asked), selected: 0, scroll: undefined });
      if (unnoted && state.text === asked.text) noted();
    });

  const more = (): void => {
    const { found } = state;
    if (found?.next === undefined || busy || found.results.length >= MAX_ROWS) return;
    const query = nextPage({ text: found.text, facets: state.facets }, found.next);
    if (query === undefined) return;
    run(async () => {
      const answer = await services.search(query);
      // A page of a search that was replaced meanwhile is dropped.
      if (state.found === found) set({ found: { ...found, answer, results: [...found.results, ...answer.results], next: answer.next_cursor } });
    });
  };

  const shelving = createShelving({ keeper: services.shelf, now, state: () => state, set, search });
  // A search becomes a past search once the person goes to its results; searches while typing do not.
  let unnoted = false;
  const noted = (): void => {
    unnoted = false;
    shelving.note();
  };
  const looked = (): void => {
    unnoted = state.focus === 'query';
    if (unnoted && !busy && state.found?.text === state.text) noted();
  };

  const own: Readonly<Record<string, () => void>> = { ...shelving.own, more, again: search, quit: () => quit(), 'focus.results': looked };

  const act = (name: string): void => {
    const before = state;
    own[name]?.();
    const step = ACTIONS[name];
    if (step !== undefined) set(step(state));
    const typed = state.text !== before.text;
    if (typed) soon(search);
    else if (state.facets !== before.facets) search();
    if (name.startsWith('select.') && state.selected === (state.found?.results.length ?? 0) - 1) more();
  };

  search();
  void services.places().then(
    (places) => set({ places }),
    // An error here is left to the search, which tells what is wrong with the database.
    () => undefined,
  );

  return {
    state: () => state,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    press({ key, typed }) {
      const action = actionOf(state, key);
      if (action !== undefined) act(action);
      else if (state.overlay === 'save') shelving.typeName(typed);
      else if (state.focus === 'query' && typed !== '') {
        set(insert(state, typed));
        soon(search);
      }
    },
    point(pointer) {
      const { select: result, actions } = pointedAt(state, pointer);
      if (result !== undefined) set(select(state, result));
      for (const action of actions) act(action);
    },
    resize: (newColumns, newRows) => set({ columns: newColumns, rows: newRows }),
    done,
  };
}

function foundIn(answers: readonly SearchResponse[], { text, facets }: Pick<TuiState, 'text' | 'facets'>): Found {
  const last = answers.at(-1) ?? { results: [] };
  const oldest = facets.sort === 'oldest';
  const results = answers.flatMap(({ results: rows }) => (oldest ? rows.toReversed() : rows));
  // Oldest first has one page only: rows that follow in the search are older, and belong before it.
  return { results, answer: last, text, next: oldest ? undefined : last.next_cursor, partOfOldest: oldest && last.next_cursor !== undefined };
}
