import type { TuiState } from './state.ts';

/** The parts of a screen, in columns and lines. */
export interface Layout {
  readonly width: number;
  /** Lines of the screen: one less than the terminal has, because a full terminal scrolls. */
  readonly height: number;
  /** Whether the preview stands beside the results instead of below. */
  readonly beside: boolean;
  readonly listWidth: number;
  readonly listRows: number;
  readonly previewWidth: number;
  /** Lines of the body in the preview; 0: there is no room for one. */
  readonly previewRows: number;
  /** Lines of an overlay, without its rule. */
  readonly overlayRows: number;
}

export const SMALLEST = { columns: 40, rows: 12 } as const;

/** Lines of title, query, facets (two), rule, hints (two) and keys. */
const FIXED = 8;
/** Lines of rule, subject and head of the preview. */
const PREVIEW_HEAD = 3;
const BESIDE_FROM = 120;
const ROOMY = 18;

export function layoutOf({ columns, rows }: Pick<TuiState, 'columns' | 'rows'>): Layout {
  const height = rows - 1;
  const room = Math.max(1, height - FIXED);
  const overlayRows = room;
  if (columns >= BESIDE_FROM) {
    const listWidth = Math.floor(columns * 0.5);
    const previewWidth = columns - listWidth - 2;
    return { width: columns, height, beside: true, listWidth, listRows: room, previewWidth, previewRows: Math.max(1, room - PREVIEW_HEAD + 1), overlayRows };
  }
  const previewRows = rows < ROOMY ? 0 : Math.floor((room - PREVIEW_HEAD) / 2);
  const listRows = previewRows === 0 ? room : room - PREVIEW_HEAD - previewRows;
  return { width: columns, height, beside: false, listWidth: columns, listRows, previewWidth: columns, previewRows, overlayRows };
}
