import { SEARCH_TOOL_ALIASES, SEARCH_TOOL_NAME, SEARCH_TOOL_SILENT_ALIASES } from '../../contracts/index.ts';

/** Every name by which the tool is called, and the name that it has (FR-LSI-BASE-01 to -03). */
const NAMES: ReadonlyMap<string, typeof SEARCH_TOOL_NAME> = new Map(
  [SEARCH_TOOL_NAME, ...SEARCH_TOOL_ALIASES, ...SEARCH_TOOL_SILENT_ALIASES].map((name) => [name, SEARCH_TOOL_NAME]),
);

/** The tool that a name stands for: `Search`, or none. Names are compared as they are written. */
export function toolNamed(name: string): typeof SEARCH_TOOL_NAME | undefined {
  return NAMES.get(name);
}

/** The names that the tool is offered by. */
export const ADVERTISED_NAMES = [SEARCH_TOOL_NAME, ...SEARCH_TOOL_ALIASES] as const;
