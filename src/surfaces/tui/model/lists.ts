import type { TuiState } from './state.ts';

/** Whether an overlay is a list to choose a row from, one line each. */
export const isList = (overlay: TuiState['overlay']): overlay is 'recipes' | 'history' => overlay === 'recipes' || overlay === 'history';

/** The number of rows to choose from. */
export function rowsToPick({ overlay, shelf }: Pick<TuiState, 'overlay' | 'shelf'>): number {
  if (!isList(overlay)) return 0;
  return overlay === 'recipes' ? shelf.recipes.length : shelf.history.length;
}
