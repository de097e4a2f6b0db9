/** The declarations of one file (from the root), which it alone decides, and what it must say for that and does not. */
export function declarationsOf(file: string): { readonly text: string; readonly problems: readonly string[] };
