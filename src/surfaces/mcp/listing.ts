import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { AnyTool } from './tool.ts';

const listed = new WeakMap<AnyTool, ListedTool>();

/** A row as `tools/list` shows it; made once. */
export function listedTool(tool: AnyTool): ListedTool {
  let entry = listed.get(tool);
  if (entry === undefined) {
    entry = {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: objectSchema(tool.input, 'input'),
      outputSchema: objectSchema(tool.output, 'output'),
      annotations: { title: tool.title, ...tool.annotations },
    };
    listed.set(tool, entry);
  }
  return entry;
}

/** Draft 7 is what validators of every client understand; nothing here needs a later one. */
function objectSchema(schema: z.ZodType, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, target: 'draft-7', unrepresentable: 'any' });
  // A union of objects has no type of its own, and the protocol wants one.
  return { ...json, type: 'object' } as ListedTool['inputSchema'];
}
