/** Where bindings lie below a root. */
export const BINDINGS_FOLDER = 'config/tool-bindings';
