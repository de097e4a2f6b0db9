/** The field of a step that is no expression of its kind, or that must not be there. */
export interface BadField {
  /** Keys from the step to the field. */
  readonly path: readonly string[];
  /** What is wrong with it; constant but for a place. */
  readonly message: string;
}

/** @param at characters before what cannot be read, in a text of several parts */
export function noExpression(path: readonly string[], at?: number): BadField {
  return { path, message: `is no expression of its kind${at === undefined ? '' : `, from character ${at + 1} on`}` };
}

/** The same, seen from further out. */
export function below(place: readonly string[], { path, message }: BadField): BadField {
  return { path: [...place, ...path], message };
}
